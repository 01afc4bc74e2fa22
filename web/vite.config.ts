// How the UI is built: few files with hashed names, which are put into the program.
import { defineConfig } from 'vitest/config';

export default defineConfig({
    base: '/',
    publicDir: 'public',
    build: {
        outDir: '../build/web/dist',
        emptyOutDir: true,
        target: 'es2022',
        assetsDir: 'assets',
        // Nothing inline: the page's policy allows no data: script and no data: style.
        assetsInlineLimit: 0,
        modulePreload: { polyfill: false },
        reportCompressedSize: false,
    },
    // While developing: the page from here, everything else from a service that runs already.
    server: {
        proxy: Object.fromEntries(
            ['/v1', '/demo', '/reports'].map((path) => [path, 'http://127.0.0.1:8080']),
        ),
    },
    test: {
        fileParallelism: false,
        projects: [
            // Long enough for a machine that is busy with other things.
            { test: { name: 'unit', include: ['test/**/*.test.ts'], testTimeout: 60_000 } },
            {
                test: {
                    name: 'long',
                    include: ['e2e/**/*.long.ts'],
                    testTimeout: 600_000,
                    hookTimeout: 120_000,
                },
            },
            {
                test: {
                    name: 'e2e',
                    include: ['e2e/**/*.e2e.ts'],
                    testTimeout: 120_000,
                    hookTimeout: 120_000,
                    // A browser on a busy machine may miss a moment; what is wrong is wrong twice.
                    retry: 1,
                },
            },
        ],
    },
});
