// Which method stands behind each variant of an engine. A new method is added here; docs/methods.md
// has the steps.
#include "engine/method.h"

#include "baselines/methods.h"
#include "engine/patient.h"
#include "engine/search.h"

const sc__engine_method *sc__engine_method_of(sc_variant variant)
{
    switch (variant) {
    case SC_VARIANT_XSTAR:
        return &sc__xstar;
    case SC_VARIANT_SAMPLING:
    case SC_VARIANT_EXPANSION:
        return &sc__per_query_method;
    case SC_VARIANT_PATIENT:
        return &sc__patient_method;
    case SC_VARIANT_BASIC:
    case SC_VARIANT_BOUNDED:
    case SC_VARIANT_HYBRID:
    case SC_VARIANT_COUNT:
        break;
    }
    return &sc__starcloak;
}
