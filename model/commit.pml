/*
 * The commit: how gateways and workers agree that a cloak leaves, at most once and in time.
 *
 * A model of src/service/ledger/state.h (a gateway's side) and src/service/worker/proposals.h (a worker's side), for
 * `spin` to look at every order in which things can happen. README.md beside it says how to run
 * it, what is left out, and how large it is; scripts/check_model does so in the tests.
 *
 *     worker   RESERVE to the gateways of all members; all OK: RELEASE to R; else ABORT to all
 *     R        the gateway of one member. Decides: published, or dead; and says which
 *     others   reserved until R has decided; if R stays silent, failed (in doubt)
 *
 * Messages are never removed: what was sent once may be received at any later moment, any
 * number of times, or never. So messages are lost, doubled, late and overtake each other without
 * another line. For the same reason patience may be over at any moment, and a proposal may as well be
 * made at the very start, since no gateway can tell before its RESERVE is received. A gateway that
 * stands still, or is cut off, is one whose steps are taken later: its clock runs on meanwhile, and
 * messages may be carried out before it looks at its clock.
 *
 * A gateway carries out one message at a time, so each of its steps is indivisible. Steps that
 * change nothing are left out; what can be done again and again is over when it is too late for it,
 * so every sequence can come to its end, and `timeout` below is that.
 *
 * Checked: no query is published in two proposals, nor after its deadline, nor unless it is reserved
 * for that proposal; a proposal that was called dead is never published; a query that was published is
 * never open again; in the end each query has had one outcome, unless its gateway died.
 *
 * The model must be able to fail. Each of these, defined, removes one rule, and is caught:
 *
 *     NO_BURYING       R forgets a proposal that it has called dead
 *     NO_ASKING        reserved elsewhere than at R, and silence: open again
 *     NO_GUARD         the clocks are trusted
 *     NO_DOUBT         reserved elsewhere than at R, and silence: reserved for ever
 *     OWN_DEADLINES    R looks at the deadlines of its own members only
 *     WORKERS_PUBLISH  the worker publishes when all have said OK
 *     HASTY_RELEASE    the worker does not wait for every OK
 *     LATE_ABORT       the worker calls off what it has released
 *     FORGETFUL        R calls dead whatever it does not remember
 *     SHORT_MEMORY     R forgets what it has called dead while its own members are open
 *     BLIND            with SKEW: gateways whose clocks differ share cloaks
 *
 * OLD_NAME, where a gateway that comes back goes by the number it had before, does no harm: it has
 * none of the members that it is asked about, and so calls nothing dead.
 *
 * With SKEW the clock of one gateway is ahead by more than the guard. Gateways that know of it
 * (heartbeats tell them) share no cloak. With UNNOTICED they do not know: then a query may leave
 * late, or after its gateway gave it up in doubt, but never twice, and never after it was dropped.
 *
 * And NEVER_ACROSS claims that no cloak of two gateways' queries ever leaves, which must be refuted:
 * a commit that never commits would keep all the promises.
 */

/* --- Processes and queries ------------------------------------------------------------------------------ */

#ifndef PROPOSALS
#define PROPOSALS 3
#endif
#define GATEWAYS 2
#define QUERIES 3

/* Sets of queries. Queries 0 and 2 come to gateway 0, query 1 to gateway 1; query 2 comes later,
 * before gateway 0 has died and come back, or after. */
#define only(q) (1 << (q))
#define home(q) ((q) == 1)

/* Time, in guards. Clocks differ by less than one, so what they show differs by at most one. */
#ifdef SKEW
/* By how much a gateway's clock is ahead. A deadline is a moment of the clock of the gateway that
 * accepted the query. Queries wait longer than the clocks differ, or none of them could be shared. */
byte ahead[GATEWAYS];
#define deadline(q) (((q) == 0 -> 3 : 5) + ahead[home(q)])
#define agree (ahead[0] == ahead[1])
#define the_end(g) (6 + ahead[g])
#define may_tick(g) (clock[g] + ahead[1 - g] <= clock[1 - g] + ahead[g])
#else
#define deadline(q) ((q) == 0 -> 2 : 3)
#define agree true
#define the_end(g) 4
#define may_tick(g) (clock[g] <= clock[1 - g])
#endif
#define is_before(t, queries, q) (!((queries) & only(q)) || (t) < deadline(q))
#define before_all(t, queries) \
    (is_before(t, queries, 0) && is_before(t, queries, 1) && is_before(t, queries, 2))
#ifdef NO_GUARD
#define GUARD 0
#else
#define GUARD 1
#endif

/* A proposal: its members, and the one whose gateway is R. Chosen at the start, never changed. */
byte members[PROPOSALS];
byte releaser[PROPOSALS];

/* All that was sent about a proposal, but for RESERVE, which every proposal begins with. */
#define RELEASE 1     /* the worker to R */
#define ABORT 2       /* the worker to all gateways of the members */
#define PUBLISHED 4   /* R to all */
#define DEAD 8        /* R to all */
byte sent[PROPOSALS];
byte oks[PROPOSALS];  /* members whose gateway has said OK */

/* Where a query stands. One that has ended was dropped; one that is in doubt has failed, since it is
 * not known whether it has left; one that is lost had a gateway that died. What comes after
 * `published` is its gateway's own business. */
mtype:place = { unborn, open, reserved, published, ended, doubt, lost };
mtype:place place[QUERIES];
byte proposal_of[QUERIES];  /* the one it is reserved for, else 0 */

/* What a gateway remembers of a proposal; at(g, b). R forgets what has left at any moment (in the
 * code after the last deadline, by its own clock, which may be any), and what it has called dead as
 * soon as it would refuse it anyway, since a member of its own is not open any more. */
mtype:outcome = { unknown, held, left, buried };
mtype:outcome outcome[GATEWAYS * PROPOSALS];
#define at(g, b) outcome[(g) * PROPOSALS + (b)]

/* A gateway: what its clock shows, what it has accepted since it was started, and whether that was
 * the second time. One that is started again is another process: messages to its forerunner, about what
 * that one had accepted, do not reach it. */
byte clock[GATEWAYS];
byte ours[GATEWAYS];
bit is_second[GATEWAYS];

#define is_member(b, q) (members[b] & only(q))
#define receives_of(g, b) (members[b] & ours[g])
#define is_releaser(g, b) (ours[g] & only(releaser[b]))
#define is_single(g, b) ((members[b] & ours[g]) == members[b])
#define has_arrived(b) (place[2] != unborn || !is_member(b, 2))
#define may_wait(g, b, q) (place[q] == open || !(receives_of(g, b) & only(q)))
#define all_open(g, b) (may_wait(g, b, 0) && may_wait(g, b, 1) && may_wait(g, b, 2))

#define is_over(g, q) (clock[g] >= deadline(q) + GUARD)

/* For loops within a step; no part of a state. */
hidden byte i;
hidden byte other;

/* --- What must hold ------------------------------------------------------------------------ */

/* Before the proposal leaves. */
inline judge_publication(b)
{
#ifdef NEVER_ACROSS
    assert(!is_member(b, 1) || members[b] == only(1));
#endif
    assert(!(sent[b] & DEAD));
    for (i : 0 .. QUERIES - 1) {
        if
        :: is_member(b, i) ->
#ifdef UNNOTICED
            assert(place[i] == reserved || place[i] == doubt || place[i] == lost);
#else
            assert(clock[home(i)] < deadline(i));
            assert(place[i] == reserved || place[i] == lost);
#endif
            for (other : 0 .. PROPOSALS - 1) {
                assert(!(is_member(other, i) && (sent[other] & PUBLISHED)));
            }
        :: else
        fi
    }
}

/* Before a query is open again. */
inline judge_opening(query)
{
    for (other : 0 .. PROPOSALS - 1) {
        assert(!(is_member(other, query) && (sent[other] & PUBLISHED)));
    }
}

/* When nothing can happen any more. */
inline judge_the_end()
{
    for (i : 0 .. QUERIES - 1) {
        assert(place[i] != open && place[i] != reserved);
    }
}

/* --- A gateway's steps --------------------------------------------------------------------- */

/* Our members of a proposal that stand here stand there from now on. */
inline move_members(g, b, here, there)
{
    for (i : 0 .. QUERIES - 1) {
        if
        :: (receives_of(g, b) & only(i)) && place[i] == here && (here == open || proposal_of[i] == b) ->
            if
            :: there == open -> judge_opening(i)
            :: else
            fi;
            place[i] = (there == open && is_over(g, i) -> ended : there);
            proposal_of[i] = (there == reserved -> b : 0)
        :: else
        fi
    }
}

/* It is off, and its members are open again. R, who decides, remembers that, so that whatever comes
 * later does not bring it back; where it has no room to remember, it neither reserves nor sends a
 * message. No other gateway need remember: what is reserved there once more ends by R's message. */
inline bury(g, b)
{
    move_members(g, b, reserved, open);
#ifdef NO_BURYING
    at(g, b) = unknown
#else
    at(g, b) = (is_releaser(g, b) -> buried : unknown)
#endif
}

inline say_dead(b)
{
    assert(!(sent[b] & PUBLISHED));
    sent[b] = sent[b] | DEAD;
    oks[b] = 0
}

#ifdef OWN_DEADLINES
#define in_time(g, b) before_all(clock[g] + GUARD, receives_of(g, b))
#else
#define in_time(g, b) before_all(clock[g] + GUARD, members[b])
#endif

/* Gateways whose clocks are known to differ refuse each other's queries. */
#if defined(UNNOTICED) || defined(BLIND)
#define may_share(g, b) true
#else
#define may_share(g, b) (agree || is_single(g, b))
#endif

/* A member of R's that R still has, and that has not left: then the proposal has not left. */
#define has_witness(b) (place[releaser[b]] == open || place[releaser[b]] == reserved)
#ifdef FORGETFUL
#define may_call_dead(b) true
#else
#define may_call_dead(b) has_witness(b)
#endif
#ifdef SHORT_MEMORY
#define may_forget_dead(b) true
#else
#define may_forget_dead(b) (!has_witness(b))
#endif

/* What a gateway does about one proposal. */
proctype Ledger(bit g; byte b)
{
end:
    do
    /* RESERVE. Where all members are ours, it means RELEASE as well. Else OK, or else a NO, which
     * is not sent here: the worker may call a proposal off whenever it likes. */
    :: d_step {
        at(g, b) == unknown && receives_of(g, b) && has_arrived(b) && in_time(g, b) &&
        may_share(g, b) && all_open(g, b) ->
            move_members(g, b, open, reserved);
            at(g, b) = held;
            oks[b] = (sent[b] == 0 -> oks[b] | receives_of(g, b) : oks[b])
       }

    /* RELEASE, at R, and its moment has come. */
    :: d_step {
        at(g, b) == held && is_releaser(g, b) && in_time(g, b) && may_share(g, b) &&
        ((sent[b] & RELEASE) || is_single(g, b)) ->
            judge_publication(b);
            move_members(g, b, reserved, published);
            at(g, b) = left;
            sent[b] = sent[b] | PUBLISHED
       }

    /* Patience is over, it is too late, somebody calls it off, or asks and it is not known: R
     * decides before it sends a message. Any moment will do. */
    :: d_step {
        is_releaser(g, b) &&
        (at(g, b) == held ||
         (at(g, b) == unknown && at(1 - g, b) == held && may_call_dead(b))) ->
            bury(g, b);
            say_dead(b)
       }

    /* R forgets. */
    :: d_step {
        is_releaser(g, b) &&
        (at(g, b) == left || (at(g, b) == buried && may_forget_dead(b))) ->
            at(g, b) = unknown
       }

    /* Elsewhere: R has said DEAD, or the worker ABORT, and then it never said RELEASE. */
    :: d_step {
        receives_of(g, b) && !is_releaser(g, b) && (sent[b] & (DEAD | ABORT)) &&
        at(g, b) == held ->
            bury(g, b)
       }
#ifdef NO_ASKING
    :: d_step {
        at(g, b) == held && !is_releaser(g, b) ->
            move_members(g, b, reserved, open);
            at(g, b) = unknown
       }
#endif

    /* Elsewhere: PUBLISHED. */
    :: d_step {
        at(g, b) == held && !is_releaser(g, b) && (sent[b] & PUBLISHED) ->
            move_members(g, b, reserved, published);
            at(g, b) = left
       }
    od
}

/* Query 2 comes to its gateway. */
proctype Client()
{
end:
    d_step {
        clock[home(2)] + GUARD < deadline(2) ->
            place[2] = open;
            ours[home(2)] = ours[home(2)] | only(2)
    }
}

#ifdef NO_DOUBT
#define is_settled_late(g, q) (place[q] == open)
#else
#define is_settled_late(g, q) \
    (place[q] == open || (place[q] == reserved && !is_releaser(g, proposal_of[q])))
#endif

#define is_due(g, q) ((ours[g] & only(q)) && is_over(g, q) && is_settled_late(g, q))

/* A gateway's machine: its clock, and its death. No machine dies at the end of time, for death must
 * not excuse a query that would have waited for ever. */
proctype Machine(bit g)
{
    byte b = 0;
end:
    do
    /* Time passes. */
    :: d_step { clock[g] < the_end(g) && may_tick(g) -> clock[g]++ }

    /* It looks at its clock. Queries whose own time is over are dropped; or, where R was silent to
     * the end and it is unknown whether they have left, they have failed: in doubt. */
    :: d_step {
        is_due(g, 0) || is_due(g, 1) || is_due(g, 2) ->
            for (i : 0 .. QUERIES - 1) {
                if
                :: is_due(g, i) ->
                    place[i] = (place[i] == open -> ended : doubt);
                    proposal_of[i] = 0
                :: else
                fi
            };
            i = 0
       }

    /* It dies, with all its state, and is started again. */
    :: d_step {
        !is_second[g] && clock[g] < the_end(g) ->
            is_second[g] = true;
            for (i : 0 .. QUERIES - 1) {
                if
                :: (ours[g] & only(i)) && (place[i] == open || place[i] == reserved) ->
                    place[i] = lost;
                    proposal_of[i] = 0
                :: else
                fi
            }
            for (b : 0 .. PROPOSALS - 1) {
                at(g, b) = unknown
            }
            b = 0;
#ifndef OLD_NAME
            ours[g] = 0
#endif
       }
    od
}

/* --- A worker's steps ---------------------------------------------------------------------- */

/* A worker knows nothing of one proposal that has a bearing on another, so each proposal is a worker's of
 * its own. It does one thing: RELEASE, or ABORT, or it dies and is silent. */
proctype Worker(byte b)
{
end:
    if
#ifdef HASTY_RELEASE
    :: d_step { sent[b] == 0 && oks[b] != 0 -> sent[b] = RELEASE }
#elif defined(WORKERS_PUBLISH)
    :: d_step {
        oks[b] == members[b] && in_time(0, b) && in_time(1, b) ->
            judge_publication(b);
            sent[b] = sent[b] | PUBLISHED
       }
#else
    :: d_step { sent[b] == 0 && oks[b] == members[b] -> sent[b] = RELEASE }
#endif
    :: d_step { sent[b] == 0 && clock[0] < the_end(0) -> sent[b] = ABORT; oks[b] = 0 }
    fi
#ifdef LATE_ABORT
    ;
    sent[b] = sent[b] | ABORT
#endif
}

/* --- All together -------------------------------------------------------------------------- */

/* Any member is R's, and any others are with it. Which proposal is the first makes no difference, so
 * they are put in order. */
inline choose_members(b)
{
    if
    :: releaser[b] = 0
    :: releaser[b] = 1
#ifndef NO_LATECOMER
    :: releaser[b] = 2
#endif
    fi;
    members[b] = only(releaser[b]);
    if
    :: members[b] = members[b] | only(0)
    :: true
    fi;
    if
    :: members[b] = members[b] | only(1)
    :: true
    fi;
#ifndef NO_LATECOMER
    if
    :: members[b] = members[b] | only(2)
    :: true
    fi
#endif
}

#define in_order(a, b) (members[a] * 4 + releaser[a] <= members[b] * 4 + releaser[b])

init
{
    byte b;
    atomic {
        for (i : 0 .. GATEWAYS * PROPOSALS - 1) {
            outcome[i] = unknown
        }
        place[0] = open;
        place[1] = open;
        place[2] = unborn;
        ours[0] = only(0);
        ours[1] = only(1);
#ifdef SKEW
        ahead[0] = SKEW;
        clock[0] = ahead[0];
        clock[1] = ahead[1];
#endif
        for (b : 0 .. PROPOSALS - 1) {
            choose_members(b)
        }
        b = 1;
        do
        :: b < PROPOSALS && in_order(b - 1, b) -> b++
        :: b < PROPOSALS && !in_order(b - 1, b) -> goto elsewhere
        :: b == PROPOSALS -> break
        od;
        for (b : 0 .. PROPOSALS - 1) {
            run Worker(b);
            run Ledger(0, b);
            run Ledger(1, b)
        }
        b = 0;
#ifndef NO_LATECOMER
        run Client();
#endif
        run Machine(0);
        run Machine(1)
    }
    timeout;
    d_step {
        judge_the_end()
    }
elsewhere:
    skip
}
