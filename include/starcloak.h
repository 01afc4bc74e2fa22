/**
 * @file starcloak.h
 * @brief All of StarCloak's interface; the parts can be included one by one.
 */
#ifndef STARCLOAK_H
#define STARCLOAK_H

#include <starcloak/admit.h>
#include <starcloak/anonymizer.h>
#include <starcloak/answer.h>
#include <starcloak/area_provider.h>
#include <starcloak/attack.h>
#include <starcloak/bytes.h>
#include <starcloak/cloak.h>
#include <starcloak/continuity.h>
#include <starcloak/cost.h>
#include <starcloak/demands.h>
#include <starcloak/density.h>
#include <starcloak/engine.h>
#include <starcloak/err.h>
#include <starcloak/lbs.h>
#include <starcloak/map.h>
#include <starcloak/map_build.h>
#include <starcloak/map_export.h>
#include <starcloak/map_generate.h>
#include <starcloak/map_import.h>
#include <starcloak/map_info.h>
#include <starcloak/object_feed.h>
#include <starcloak/objects.h>
#include <starcloak/place_classes.h>
#include <starcloak/point_provider.h>
#include <starcloak/progress.h>
#include <starcloak/prune.h>
#include <starcloak/query.h>
#include <starcloak/relay.h>
#include <starcloak/relay_codec.h>
#include <starcloak/rng.h>
#include <starcloak/star.h>
#include <starcloak/verify.h>

#endif
