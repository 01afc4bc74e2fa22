/**
 * @file starcloak.h
 * @brief All of StarCloak's interface; the parts can be included one by one.
 */
#ifndef STARCLOAK_H
#define STARCLOAK_H

#include <starcloak/err.h>
#include <starcloak/map.h>
#include <starcloak/map_build.h>
#include <starcloak/map_export.h>
#include <starcloak/map_generate.h>
#include <starcloak/map_import.h>
#include <starcloak/map_info.h>
#include <starcloak/star.h>

#endif
