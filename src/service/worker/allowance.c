// How many bids of a part may be undecided at once. See allowance.h.
#include "worker/allowance.h"

void sc__allowance_take(sc__allowance *allowance)
{
    allowance->undecided++;
}

void sc__allowance_return(sc__allowance *allowance)
{
    allowance->undecided--;
}

void sc__allowance_widen(sc__allowance *allowance)
{
    sc__allowance_return(allowance);
    if (allowance->most <= UINT32_MAX - SC__ALLOWANCE_MORE) allowance->most += SC__ALLOWANCE_MORE;
}

void sc__allowance_halve(sc__allowance *allowance, sc_time made, sc_time now)
{
    const bool is_news = !allowance->is_bounded || made >= allowance->halved;
    if (is_news) {
        if (!allowance->is_bounded || allowance->undecided < allowance->most) {
            allowance->most = allowance->undecided;
        }
        allowance->most = allowance->most > 1 ? allowance->most / 2 : 1;
        allowance->is_bounded = true;
        allowance->halved = now;
    }
    sc__allowance_return(allowance);
}
