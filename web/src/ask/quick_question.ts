// "Ask for the nearest cafe here": a question that every visitor understands, with one click.
import type { About, CategoriesPage, Request } from '../api/types';
import { t } from '../text/language';
import { categoryWords } from '../text/words';

/** Cafes if the map has some, else what it has most of; null where nothing can be told apart. */
export function quickCategory(
    categories: readonly CategoriesPage['categories'][number][],
): string | null {
    const some = categories.filter(({ objects }) => objects === null || objects > 0);
    if (some.some(({ name }) => name === 'cafe')) return 'cafe';
    let best: CategoriesPage['categories'][number] | null = null;
    for (const one of some) if (!best || (one.objects ?? 0) > (best.objects ?? 0)) best = one;
    return best?.name ?? null;
}

export function quickRequest(about: About, category: string | null): Request {
    const categories = category === null ? undefined : [category];
    return { type: 'knn', metric: about.metric, k: 1, categories };
}

export function quickWords(category: string | null): string {
    return category === null
        ? t('Ask for the nearest place here')
        : t('Ask for the nearest {category} here', { category: categoryWords(category) });
}
