// Words on their way: late, lost, twice, overtaken. See rehearsal_internal.h.
#include "base/alloc.h"
#include "cluster_sim/cluster_sim_internal.h"

#include <string.h>

// --- Moments in words ----------------------------------------------------------------------

static void shift(sc_time *t, sc_time by)
{
    if (*t != SC_TIME_NEVER) *t += by;
}

/** Moments of a word by another clock. */
static void shift_word(sc_word *word, sc_time by)
{
    switch (word->kind) {
    case SC_WORD_ADD:
    case SC_WORD_COMPANY:
    case SC_WORD_REMOVE:
    case SC_WORD_DROPPED:
    case SC_WORD_NOT_TAKEN:
        shift(&word->query.deadline, by);
        break;
    case SC_WORD_RESERVE:
        shift(&word->bid->deadline, by);
        shift(&word->bid->last, by);
        for (size_t i = 0; i < word->bid->member_count; i++) {
            shift(&word->bid->members[i].query.deadline, by);
        }
        break;
    default:
        shift(&word->deadline, by);
        break;
    }
}

// --- Saying --------------------------------------------------------------------------------

static bool is_for_a_part(const sc_word *word)
{
    return word->kind == SC_WORD_ADD || word->kind == SC_WORD_COMPANY ||
           word->kind == SC_WORD_REMOVE;
}

/**
 * Whether the worker that has the part is told of the query anyway: it has the query's home too, or
 * another part to which the same was said just now.
 */
static bool is_told_already(sc__process *process, const sc_word *word)
{
    const sc_rehearsal *rehearsal = process->rehearsal;
    if (word->part == word->home) return false;
    const sc_peer owner = rehearsal->owners[word->part];
    if (owner == SC_PEER_NONE) return false;
    if (owner == rehearsal->owners[word->home]) return true;
    if (word->kind != process->spread_kind ||
        memcmp(&word->query.id, &process->spread, sizeof process->spread) != 0) {
        process->spread_kind = word->kind;
        process->spread = word->query.id;
        memset(process->told, 0, rehearsal->process_count);
    }
    uint8_t *told = &process->told[(owner & 0xffff) - 1];
    if (*told) return true;
    *told = 1;
    return false;
}

/** As bytes and back, by the calendar of whoever says it. */
static sc_err encode(sc_rehearsal *rehearsal, sc_word *word)
{
    sc_err err = sc_word_encode(&rehearsal->codec, word, 0, &rehearsal->bytes);
    if (err) return err;
    rehearsal->truth.verdict.bytes[word->kind] += rehearsal->bytes.size;
    sc_word_fini(word);
    return sc_word_decode(&rehearsal->codec, rehearsal->bytes.data, rehearsal->bytes.size, 0, word);
}

/** Never at once: two processes that answer each other without end would stop the clock. */
static sc_time draw_delay(sc_rehearsal *rehearsal)
{
    const bool strays = sc_rng_unit(&rehearsal->rng) < rehearsal->options.straying;
    const sc_time mean = rehearsal->options.delay_us * (strays ? 20 : 1);
    return 1 + sc__draw_time(&rehearsal->rng, mean);
}

/** On its way, if it is not lost. Takes the word. */
static void send(sc__process *process, sc_peer to, sc_word *word)
{
    sc_rehearsal *rehearsal = process->rehearsal;
    const bool is_lost = sc_rng_unit(&rehearsal->rng) < rehearsal->options.loss;
    const sc_time delay = draw_delay(rehearsal);
    sc__event *event = NULL;
    if (!is_lost) {
        const bool has_target = to != SC_PEER_NONE;
        event = sc__event_new(SC__EVENT_WORD, has_target ? (uint32_t)(to & 0xffff) - 1 : SC_NONE,
                              (uint32_t)(to >> 16));
        if (!event) sc__rehearsal_fail(rehearsal, SC_ENOMEM);
    }
    if (!event) {
        sc_word_fini(word);
        return;
    }
    event->word = *word;
    event->from = process->index;
    event->from_life = process->life;
    event->said = rehearsal->now;
    sc__rehearsal_plan(rehearsal, rehearsal->now + delay, event);
}

static void say(void *context, sc_peer to, sc_word *word)
{
    sc__process *process = context;
    sc_rehearsal *rehearsal = process->rehearsal;
    if (process->is_mute || (word->kind == SC_WORD_COMPANY && rehearsal->options.is_company_off)) {
        sc_word_fini(word);
        return;
    }
    if (is_for_a_part(word) && is_told_already(process, word)) {
        rehearsal->truth.verdict.words_inside++;
        sc_word_fini(word);
        return;
    }
    rehearsal->truth.verdict.words[word->kind]++;
    shift_word(word, -process->boot_us);
    if (rehearsal->options.is_encoded) {
        const sc_err err = encode(rehearsal, word);
        if (err) {
            sc__rehearsal_fail(rehearsal, err);
            sc_word_fini(word);
            return;
        }
    }
    sc_word twin = {0};
    if (sc_rng_unit(&rehearsal->rng) < rehearsal->options.doubling) {
        if (sc_word_clone(word, &twin)) send(process, to, &twin);
    }
    send(process, to, word);
}

sc_voice sc__network_voice(sc__process *process)
{
    return (sc_voice){.say = say, .context = process};
}

// --- Hearing -------------------------------------------------------------------------------

/** A no as an ok: who is gone has a wish. Deadlines are left out, as by somebody in no hurry. */
static void say_yes(sc_word *word)
{
    sc_wish *wishes = sc_calloc(word->count + 1, sizeof *wishes);
    for (size_t i = 0; wishes && i < word->count; i++) {
        wishes[i] = (sc_wish){word->gone[i], {.type = SC_REQUEST_KNN, .k = 1}};
    }
    sc_free(word->gone);
    word->gone = NULL;
    word->wishes = wishes;
    word->deadline = SC_TIME_NEVER;
    word->kind = SC_WORD_OK;
}

/** Lies are told at the door of whoever hears them. */
static void lie(const sc_rehearsal *rehearsal, sc_word *word)
{
    if (rehearsal->options.lie == SC_LIE_NO_IS_OK && word->kind == SC_WORD_NO) say_yes(word);
    if (rehearsal->options.lie == SC_LIE_SMALLER && word->kind == SC_WORD_RESERVE) {
        word->bid->segment_count--;
    }
}

/** To one process, by its own clock; the event is taken. */
static void hand_over(sc__process *process, sc__event *event)
{
    event->process = process->index;
    event->life = process->life;
    shift_word(&event->word, process->boot_us);
    lie(process->rehearsal, &event->word);
    sc__process_meet(process, event);
}

/** To everybody who listens to the part: while parts move, that may be nobody, or two. */
static void hand_to_part(sc_rehearsal *rehearsal, sc__event *event)
{
    for (uint32_t i = rehearsal->options.gateways; i < rehearsal->process_count; i++) {
        sc__process *process = &rehearsal->processes[i];
        if (process->standing == SC__DOWN || !process->has_part[event->word.part]) continue;
        sc__event *copy = sc__event_new(SC__EVENT_WORD, i, process->life);
        if (!copy || !sc_word_clone(&event->word, &copy->word)) {
            sc__event_free(copy);
            sc__rehearsal_fail(rehearsal, SC_ENOMEM);
            break;
        }
        hand_over(process, copy);
    }
    sc__event_free(event);
}

void sc__network_deliver(sc_rehearsal *rehearsal, sc__event *event)
{
    // What was said just before a crash may not have left the process.
    const sc__process *from = &rehearsal->processes[event->from];
    if (event->from_life == from->dead_life && event->said >= from->lost_since) {
        sc__event_free(event);
        return;
    }
    if (event->process == SC_NONE) {
        hand_to_part(rehearsal, event);
        return;
    }
    sc__process *process = &rehearsal->processes[event->process];
    if (process->standing == SC__DOWN || process->life != event->life) {
        sc__event_free(event);
        return;
    }
    hand_over(process, event);
}
