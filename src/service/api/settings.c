// Settings by name, and checks of their consistency. settings_list.h has all of them.
#include "api/settings.h"

#include "api/access_policy.h"
#include "api/cross_origin.h"
#include "base/alloc.h"
#include "base/diag.h"
#include "base/text.h"
#include "server/http.h"
#include "server/key_source.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

struct sc_setting_text {
    sc_setting_text *next;
    char text[];
};

// --- The table ----------------------------------------------------------------------

#define START SC__SETTING_START
#define RELOAD SC__SETTING_RELOAD
#define MAP SC__SETTING_MAP
#define PLACE(field) offsetof(sc_settings, field)
#define AS_TEXT(x) #x

#define LIST_ROW(section, field, name, value, standard, when, who, help) \
    {#section, name, help, SC__SETTING_LIST, PLACE(field), 0, 0, NULL, standard, when},
#define TEXT_ROW(section, field, name, value, standard, when, who, help) \
    {#section, name, help, SC__SETTING_TEXT, PLACE(field), 0, 0, NULL, standard, when},
#define COUNT_ROW(section, field, name, value, standard, least, most, when, who, help) \
    {#section, name, help, SC__SETTING_COUNT, PLACE(field),                            \
     least,    most, NULL, AS_TEXT(standard), when},
#define NUMBER_ROW(section, field, name, value, standard, least, most, when, who, help) \
    {#section, name, help, SC__SETTING_NUMBER, PLACE(field),                            \
     least,    most, NULL, AS_TEXT(standard),  when},
#define SWITCH_ROW(section, field, name, when, who, help) \
    {#section, name, help, SC__SETTING_SWITCH, PLACE(field), 0, 0, NULL, "no", when},
#define WORD_ROW(section, field, name, value, words, standard, when, who, help) \
    {#section, name, help, SC__SETTING_WORD, PLACE(field), 0, 0, words, AS_TEXT(standard), when},

static const sc__setting table[] = {
    SC_SETTINGS(LIST_ROW, TEXT_ROW, COUNT_ROW, NUMBER_ROW, SWITCH_ROW, WORD_ROW)};

enum { SETTING_COUNT = sizeof(table) / sizeof(table[0]) };

const sc__setting *sc__settings_table(size_t *count)
{
    *count = SETTING_COUNT;
    return table;
}

const sc__setting *sc__setting_find(const char *name)
{
    for (size_t i = 0; i < SETTING_COUNT; i++) {
        if (strcmp(table[i].name, name) == 0) return &table[i];
    }
    return NULL;
}

const char *sc__setting_moved(const char *name)
{
    static const struct {
        const char *name;
        const char *advice;
    } moved[] = {
        {"no-window", "use 'no-ui' instead"},
        {"clerks", "use 'provider-threads' instead"},
        {"cut", "use 'partition' instead"},
        {"reports", "only 'starcloak demo' shows reports; remove this line, and start the demo "
                    "with --reports FOLDER"},
    };
    for (size_t i = 0; i < sizeof moved / sizeof *moved; i++) {
        if (strcmp(moved[i].name, name) == 0) return moved[i].advice;
    }
    return NULL;
}

const char *sc__setting_word(const char *words, unsigned place, size_t *size)
{
    for (;; place--) {
        *size = strcspn(words, " ");
        if (*size == 0) return NULL;
        if (place == 0) return words;
        words += *size;
        words += strspn(words, " ");
    }
}

// --- Values --------------------------------------------------------------------------

static void *field_of(sc_settings *settings, const sc__setting *setting)
{
    return (char *)settings + setting->offset;
}

static const void *const_field_of(const sc_settings *settings, const sc__setting *setting)
{
    return (const char *)settings + setting->offset;
}

static sc_err set_text(sc_settings *settings, const char **field, const char *value, sc_diag *diag)
{
    const size_t size = strlen(value) + 1;
    sc_setting_text *text = sc_malloc(sizeof *text + size);
    if (!text) return sc_fail_memory(diag, "reading the settings");
    memcpy(text->text, value, size);
    text->next = settings->texts;
    settings->texts = text;
    *field = text->text;
    return SC_OK;
}

/** A whole number, with k or M for thousands and millions. */
static bool read_count(const char *value, double *out)
{
    const size_t size = strlen(value);
    const char last = size > 0 ? value[size - 1] : '\0';
    const double unit = last == 'k' ? 1e3 : last == 'M' ? 1e6 : 1;
    uint64_t count = 0;
    if (!sc_slice_u64((sc_slice){.text = value, .size = size - (unit > 1)}, &count)) return false;
    if (count > UINT64_C(1) << 50) return false;
    *out = (double)count * unit;
    return true;
}

static sc_err set_number(void *field, const sc__setting *setting, const char *value, sc_diag *diag)
{
    const bool is_count = setting->kind == SC__SETTING_COUNT;
    double number = 0;
    const bool is_one = is_count ? read_count(value, &number)
                                 : sc_slice_double((sc_slice){value, strlen(value)}, &number);
    if (!is_one || number < setting->least || number > setting->most) {
        return sc_fail(diag, SC_EINVAL, "%s: %s is not a %s from %.10g to %.10g", setting->name,
                       sc_quote(value, strlen(value)).text, is_count ? "whole number" : "number",
                       setting->least, setting->most);
    }
    if (is_count) *(uint64_t *)field = (uint64_t)number;
    if (!is_count) *(double *)field = number;
    return SC_OK;
}

static sc_err set_switch(bool *field, const sc__setting *setting, const char *value, sc_diag *diag)
{
    static const char *const yes[] = {"yes", "on", "true", "1"};
    static const char *const no[] = {"no", "off", "false", "0"};
    for (size_t i = 0; i < sizeof(yes) / sizeof(yes[0]); i++) {
        const bool is_yes = !value || strcasecmp(value, yes[i]) == 0;
        if (is_yes || strcasecmp(value, no[i]) == 0) {
            *field = is_yes;
            return SC_OK;
        }
    }
    return sc_fail(diag, SC_EINVAL, "%s: %s is neither yes nor no", setting->name,
                   sc_quote(value, strlen(value)).text);
}

static sc_err set_word(unsigned *field, const sc__setting *setting, const char *value,
                       sc_diag *diag)
{
    size_t size = 0;
    const char *word = NULL;
    for (unsigned i = 0; (word = sc__setting_word(setting->words, i, &size)); i++) {
        if (strlen(value) == size && strncasecmp(word, value, size) == 0) {
            *field = i;
            return SC_OK;
        }
    }
    return sc_fail(diag, SC_EINVAL, "%s: %s is not one of: %s", setting->name,
                   sc_quote(value, strlen(value)).text, setting->words);
}

static sc_err set(sc_settings *settings, const sc__setting *setting, const char *value,
                  sc_diag *diag)
{
    void *field = field_of(settings, setting);
    if (!value && setting->kind != SC__SETTING_SWITCH) {
        return sc_fail(diag, SC_EINVAL, "%s: a value is needed", setting->name);
    }
    switch (setting->kind) {
    case SC__SETTING_LIST:
    case SC__SETTING_TEXT:
        return set_text(settings, field, value, diag);
    case SC__SETTING_COUNT:
    case SC__SETTING_NUMBER:
        return set_number(field, setting, value, diag);
    case SC__SETTING_SWITCH:
        return set_switch(field, setting, value, diag);
    case SC__SETTING_WORD:
        return set_word(field, setting, value, diag);
    }
    return SC_EINVAL;
}

sc_err sc_settings_set(sc_settings *settings, const char *name, const char *value, sc_diag *diag)
{
    const sc__setting *setting = sc__setting_find(name);
    if (setting) return set(settings, setting, value, diag);
    return sc_fail(diag, SC_EUNKNOWN, "unknown setting %s", sc_quote(name, strlen(name)).text);
}

sc_err sc_settings_add(sc_settings *settings, const char *name, const char *value, sc_diag *diag)
{
    const sc__setting *setting = sc__setting_find(name);
    if (!setting || setting->kind != SC__SETTING_LIST) {
        return sc_settings_set(settings, name, value, diag);
    }
    const char **field = field_of(settings, setting);
    const size_t size = strlen(*field) + strlen(value) + 2;
    char *joined = sc_malloc(size);
    if (!joined) return sc_fail_memory(diag, "reading the settings");
    snprintf(joined, size, "%s%s%s", *field, **field ? "," : "", value);
    const sc_err err = set_text(settings, field, joined, diag);
    sc_free(joined);
    return err;
}

// --- All of them -----------------------------------------------------------------------

sc_err sc_settings_new(sc_settings **out)
{
    sc_settings *settings = sc_calloc(1, sizeof *settings);
    if (!settings) return SC_ENOMEM;
    sc_err err = SC_OK;
    for (size_t i = 0; i < SETTING_COUNT && !err; i++) {
        if (table[i].kind == SC__SETTING_WORD) {
            *(unsigned *)field_of(settings, &table[i]) = (unsigned)(table[i].standard[0] - '0');
        } else {
            err = set(settings, &table[i], table[i].standard, NULL);
        }
    }
    if (err) {
        sc_settings_free(settings);
        return err;
    }
    *out = settings;
    return SC_OK;
}

void sc_settings_free(sc_settings *settings)
{
    if (!settings) return;
    while (settings->texts) {
        sc_setting_text *text = settings->texts;
        settings->texts = text->next;
        sc_free(text);
    }
    sc_free(settings);
}

static bool is_same(const sc_settings *a, const sc_settings *b, const sc__setting *setting)
{
    const void *x = const_field_of(a, setting);
    const void *y = const_field_of(b, setting);
    switch (setting->kind) {
    case SC__SETTING_LIST:
    case SC__SETTING_TEXT:
        return strcmp(*(const char *const *)x, *(const char *const *)y) == 0;
    case SC__SETTING_COUNT:
        return *(const uint64_t *)x == *(const uint64_t *)y;
    case SC__SETTING_NUMBER:
        return *(const double *)x == *(const double *)y;
    case SC__SETTING_SWITCH:
        return *(const bool *)x == *(const bool *)y;
    case SC__SETTING_WORD:
        return *(const unsigned *)x == *(const unsigned *)y;
    }
    return true;
}

const char *sc_settings_stuck(const sc_settings *now, const sc_settings *next, bool changes_map,
                              size_t *from)
{
    while (*from < SETTING_COUNT) {
        const sc__setting *setting = &table[(*from)++];
        const bool is_stuck = setting->when == SC__SETTING_START ||
                              (setting->when == SC__SETTING_MAP && !changes_map);
        if (is_stuck && !is_same(now, next, setting)) return setting->name;
    }
    return NULL;
}

bool sc_settings_have_same_map(const sc_settings *now, const sc_settings *next)
{
    for (size_t i = 0; i < SETTING_COUNT; i++) {
        if (table[i].when == SC__SETTING_MAP && !is_same(now, next, &table[i])) return false;
    }
    return true;
}

void sc_settings_lend_map(sc_settings *settings, const sc_settings *next)
{
    for (size_t i = 0; i < SETTING_COUNT; i++) {
        if (table[i].when != SC__SETTING_MAP) continue;
        // All of them are texts.
        *(const char **)field_of(settings, &table[i]) =
            *(const char *const *)const_field_of(next, &table[i]);
    }
}

sc_err sc_settings_parts(const char *list, char ***out, size_t *count)
{
    size_t commas = 0;
    for (const char *c = list; *c; c++) {
        commas += *c == ',';
    }
    // Pointers first, then the texts that they lead to.
    const size_t pointers = (commas + 2) * sizeof(char *);
    char **parts = sc_malloc(pointers + strlen(list) + 1);
    if (!parts) return SC_ENOMEM;
    char *text = (char *)parts + pointers;
    memcpy(text, list, strlen(list) + 1);
    *count = 0;
    char *rest = NULL;
    for (char *part = strtok_r(text, ",", &rest); part; part = strtok_r(NULL, ",", &rest)) {
        part += strspn(part, " \t");
        size_t size = strlen(part);
        while (size > 0 && (part[size - 1] == ' ' || part[size - 1] == '\t')) {
            size--;
        }
        part[size] = '\0';
        if (size > 0) parts[(*count)++] = part;
    }
    parts[*count] = NULL;
    *out = parts;
    return SC_OK;
}

void sc_settings_parts_free(char **parts)
{
    sc_free(parts);
}

// === Consistency, and the policy ================================================================

sc_policy sc_settings_policy(const sc_settings *s)
{
    return (sc_policy){
        .least = {(uint32_t)s->min_k, (uint32_t)s->min_l, (uint32_t)s->min_hops,
                  sc_time_from_seconds(s->min_wait_s)},
        .most = {(uint32_t)s->max_k, (uint32_t)s->max_l, (uint32_t)s->max_hops,
                 sc_time_from_seconds(s->max_wait_s)},
        .standard = {(uint32_t)s->default_k, (uint32_t)s->default_l, (uint32_t)s->default_hops,
                     sc_time_from_seconds(s->default_wait_s)},
        .requests = {.max_k = (uint32_t)s->max_nearest,
                     .max_radius_m = s->max_radius_m,
                     .max_radius_s = s->max_duration_s},
        // A provider of points measures distances, whatever the default.
        .metric = *s->point_provider ? SC_METRIC_DISTANCE : (sc_metric)s->default_metric,
        .has_no_times = *s->point_provider != '\0',
        .max_objects = (double)s->max_objects,
        .max_cost = s->max_cost,
        .user_cost = s->user_cost,
        .user_waiting = s->user_waiting,
        .max_snap_m = s->max_snap_m,
        .user_rate = s->user_rate,
        .user_burst = s->user_burst,
        .address_rate = s->address_rate,
        .address_burst = s->address_burst,
        .user_pending = (uint32_t)s->user_pending,
        .lease_us = sc_time_from_seconds(s->lease_s),
        .outcome_keep_us = sc_time_from_seconds(s->outcome_keep_s),
        .max_poll_s = s->max_poll_s,
        .max_outcomes = s->max_outcomes,
        .events = (sc_access)s->events,
        .metrics = (sc_access)s->metrics,
    };
}

static bool is_web_address(const char *text)
{
    return strncmp(text, "http://", 7) == 0 || strncmp(text, "https://", 8) == 0;
}

static sc_err check_tls(const sc_settings *s, sc_diag *diag)
{
    if (!*s->tls_certificate && (*s->tls_key || *s->client_ca)) {
        return sc_fail(diag, SC_EINVAL, "%s: set tls-certificate too",
                       *s->tls_key ? "tls-key" : "client-ca");
    }
    if (!*s->provider_certificate && *s->provider_key) {
        return sc_fail(diag, SC_EINVAL, "provider-key: set provider-certificate too");
    }
    return SC_OK;
}

/** What is on the way is readable for all who carry it, unless it stays on this machine. */
static bool is_plain_and_remote(const char *url)
{
    static const char plain[] = "http://";
    if (strncmp(url, plain, sizeof plain - 1) != 0) return false;
    const char *from = url + sizeof plain - 1;
    const char *to = from + strcspn(from, "/?#");
    for (const char *at = to; at > from; at--) {
        if (at[-1] != '@') continue;
        from = at;
        break;
    }
    char address[300];
    const char *colon = memrchr(from, ':', (size_t)(to - from));
    const char *bracket = memrchr(from, ']', (size_t)(to - from));
    const bool has_port = colon && (!bracket || colon > bracket);
    const int size =
        snprintf(address, sizeof address, "%.*s%s", (int)(to - from), from, has_port ? "" : ":80");
    return size < 0 || (size_t)size >= sizeof address || !sc_http_address_is_local(address);
}

/** Who can change keys on their way can sign tokens. */
static sc_err check_jwt(const sc_settings *s, sc_diag *diag)
{
    if (!*s->jwt_keys && (*s->jwt_issuer || *s->jwt_audience || *s->jwt_ca)) {
        return sc_fail(diag, SC_EINVAL, "%s: set jwt-keys too",
                       *s->jwt_issuer     ? "jwt-issuer"
                       : *s->jwt_audience ? "jwt-audience"
                                          : "jwt-ca");
    }
    if (*s->jwt_keys && (!*s->jwt_issuer || !*s->jwt_audience)) {
        return sc_fail(diag, SC_EINVAL,
                       "jwt-keys: set %s too; otherwise tokens for other services would be good",
                       *s->jwt_issuer ? "jwt-audience" : "jwt-issuer");
    }
    if (*s->jwt_keys && !*s->jwt_user) {
        return sc_fail(diag, SC_EINVAL, "jwt-user: name the claim that is the user, such as sub");
    }
    if (is_plain_and_remote(s->jwt_keys)) {
        return sc_fail(diag, SC_EINVAL,
                       "jwt-keys: plain HTTP to another machine lets all in between replace the "
                       "keys; use https://");
    }
    return SC_OK;
}

static sc_err check_oblivious(const sc_settings *s, sc_diag *diag)
{
    if (s->oblivious) return SC_OK;
    const char *first = *s->relays ? "relays" : *s->oblivious_keys ? "oblivious-keys" : NULL;
    if (!first) return SC_OK;
    return sc_fail(diag, SC_EINVAL, "%s: set oblivious too", first);
}

/** The host of an address, as a token issuer is named after. */
static bool host_of(const char *url, char *out, size_t room)
{
    const char *from = strstr(url, "://");
    from = from ? from + 3 : url;
    const size_t size = strcspn(from, "/?#");
    if (size == 0 || size >= room) return false;
    memcpy(out, from, size);
    out[size] = '\0';
    return true;
}

bool sc_settings_pass_issuer_name(const sc_settings *s, char *out, size_t room)
{
    if (!*s->pass_issuer_name) return host_of(s->pass_issuer, out, room);
    return (size_t)snprintf(out, room, "%s", s->pass_issuer_name) < room;
}

/** Who can change keys on their way can sign tokens, and be any number of users. */
static sc_err check_pass(const sc_settings *s, sc_diag *diag)
{
    const char *first = *s->pass_origin        ? "pass-origin"
                        : *s->pass_issuer_name ? "pass-issuer-name"
                        : *s->pass_ca          ? "pass-ca"
                                               : NULL;
    if (!*s->pass_issuer && first) {
        return sc_fail(diag, SC_EINVAL, "%s: set pass-issuer too", first);
    }
    if (!*s->pass_issuer) return SC_OK;
    if (!*s->pass_origin) {
        return sc_fail(diag, SC_EINVAL,
                       "pass-issuer: set pass-origin too; otherwise tokens for other services "
                       "would be good");
    }
    if (!*s->pass_issuer_name && !sc_key_source_is_remote(s->pass_issuer)) {
        return sc_fail(diag, SC_EINVAL,
                       "pass-issuer: set pass-issuer-name too; a file has no host");
    }
    if (is_plain_and_remote(s->pass_issuer)) {
        return sc_fail(diag, SC_EINVAL,
                       "pass-issuer: plain HTTP to another machine lets all in between replace the "
                       "keys; use https://");
    }
    if ((double)s->pass_epoch_s <= s->min_wait_s) {
        return sc_fail(diag, SC_EINVAL, "pass-epoch: must be more than min-wait");
    }
    return SC_OK;
}

sc_err sc_settings_check_plain(const sc_settings *s, const char *name, const char *url,
                               sc_diag *diag)
{
    if (s->provider_plain || !is_plain_and_remote(url)) return SC_OK;
    return sc_fail(diag, SC_EINVAL,
                   "%s: plain HTTP to another machine shows cloaks and answers to all in between; "
                   "use https://, or set provider-plain if the network protects them",
                   name);
}

static bool is_default(const sc_settings *settings, const char *name)
{
    sc_settings *defaults = NULL;
    if (sc_settings_new(&defaults)) return true;
    const bool is_it = is_same(settings, defaults, sc__setting_find(name));
    sc_settings_free(defaults);
    return is_it;
}

// What a file says of a provider of points is not said beside it.
static sc_err check_point_file(const sc_settings *s, sc_diag *diag)
{
    static const char *const beside[] = {"point-distance", "point-spacing", "point-max-k",
                                         "point-fields"};
    for (size_t i = 0; i < sizeof beside / sizeof beside[0]; i++) {
        if (is_default(s, beside[i])) continue;
        return sc_fail(diag, SC_EINVAL,
                       "%s: it goes with a point-provider that is a URL; one that is a file is "
                       "asked as the file says: give the setting there",
                       beside[i]);
    }
    return SC_OK;
}

/** There is one provider. */
static sc_err check_provider(const sc_settings *s, sc_diag *diag)
{
    if (*s->provider && *s->point_provider) {
        return sc_fail(diag, SC_EINVAL, "provider and point-provider: set only one of them");
    }
    if (*s->area_provider && (*s->provider || *s->point_provider)) {
        return sc_fail(diag, SC_EINVAL, "%s and area-provider: set only one of them",
                       *s->provider ? "provider" : "point-provider");
    }
    if (*s->objects && (*s->provider || *s->point_provider || *s->area_provider)) {
        return sc_fail(diag, SC_EINVAL,
                       "objects: only the built-in provider uses them, but %s names another "
                       "provider; remove one of the two",
                       *s->provider         ? "provider"
                       : *s->point_provider ? "point-provider"
                                            : "area-provider");
    }
    if (*s->provider && !is_web_address(s->provider)) {
        return sc_fail(diag, SC_EINVAL, "provider: the URL must begin with http:// or https://");
    }
    if (*s->point_provider && strstr(s->point_provider, "://") &&
        !is_web_address(s->point_provider)) {
        return sc_fail(diag, SC_EINVAL,
                       "point-provider: the URL must begin with http:// or https://");
    }
    if (*s->point_provider && !is_web_address(s->point_provider)) return check_point_file(s, diag);
    if (*s->objects && strncmp(s->objects, "postgresql://", 13) != 0 &&
        strncmp(s->objects, "postgres://", 11) != 0) {
        return sc_fail(diag, SC_EINVAL,
                       "objects: the address of a database must begin with postgresql://, as in "
                       "postgresql://user@host/database");
    }
    return *s->point_provider
               ? sc_settings_check_plain(s, "point-provider", s->point_provider, diag)
               : sc_settings_check_plain(s, "provider", s->provider, diag);
}

/** 'listen' stands alone. */
static sc_err check_admin(const sc_settings *s, sc_diag *diag)
{
    char **parts = NULL;
    size_t count = 0;
    if (sc_settings_parts(s->admin, &parts, &count)) {
        return sc_fail_memory(diag, "reading the settings");
    }
    sc_err err = SC_OK;
    for (size_t i = 0; i < count && count > 1 && !err; i++) {
        if (strcmp(parts[i], SC_SETTINGS_ADMIN_SHARED) == 0) {
            err = sc_fail(diag, SC_EINVAL, "admin: give either addresses, or 'listen' alone");
        }
    }
    sc_settings_parts_free(parts);
    return err;
}

/** Who records true positions says for whom, and until when. */
static sc_err check_record(const sc_settings *s, sc_diag *diag)
{
    if (!*s->record_positions && (*s->record_until || *s->record_key)) {
        return sc_fail(diag, SC_EINVAL, "%s: set record-true-positions too",
                       *s->record_until ? "record-true-positions-until"
                                        : "record-true-positions-key");
    }
    if (*s->record_positions && (!*s->record_until || !*s->record_key)) {
        return sc_fail(diag, SC_EINVAL, "record-true-positions: set %s",
                       *s->record_until ? "record-true-positions-key too, for which it is sealed"
                                        : "record-true-positions-until too, a day ahead at most");
    }
    return SC_OK;
}

static sc_err check_forwarded(const sc_settings *s, sc_diag *diag)
{
    if (s->forwarded == SC_HTTP_FORWARDED_OFF || *s->proxies) return SC_OK;
    return sc_fail(diag, SC_EINVAL,
                   "forwarded: set proxies too; from other addresses no such header counts");
}

static sc_err check_origins(const sc_settings *s, sc_diag *diag)
{
    sc_cross_origin *shared = NULL;
    const sc_err err = sc_cross_origin_new(s->origins, &shared, diag);
    if (!err) sc_cross_origin_free(shared);
    return err;
}

static bool is_engine(const sc_settings *s, const char *name)
{
    size_t size = 0;
    const char *word = sc__setting_word(sc__setting_find("engine")->words, s->engine, &size);
    return strlen(name) == size && strncmp(word, name, size) == 0;
}

/** The first word is auto, and the others are numbers. */
static uint32_t traffic_of(const sc_settings *s)
{
    size_t size = 0;
    if (s->traffic == 0) return *s->density && is_engine(s, "patient") ? SC_SETTINGS_TRAFFIC : 0;
    return (uint32_t)(*sc__setting_word(sc__setting_find("traffic")->words, s->traffic, &size) -
                      '0');
}

sc_demands sc_settings_demands(const sc_settings *s)
{
    const uint32_t traffic = traffic_of(s);
    return (sc_demands){
        .traffic = traffic,
        .is_strict = is_engine(s, "patient") && !s->no_strict &&
                     (s->strict || traffic > 0 || *s->classes || s->continuity || *s->zone_key),
    };
}

/** An engine that cannot keep what is asked is not made; this says it in the settings' words. */
static sc_err check_demands(const sc_settings *s, sc_diag *diag)
{
    const bool is_patient = is_engine(s, "patient");
    if (s->strict && s->no_strict) {
        return sc_fail(diag, SC_EINVAL, "strict and no-strict: set only one of them");
    }
    if (traffic_of(s) > 0 && !*s->density) {
        return sc_fail(diag, SC_EINVAL,
                       "traffic: set density too; 'starcloak density' makes a table");
    }
    if (traffic_of(s) > 0 && !is_patient) {
        return sc_fail(diag, SC_EINVAL,
                       "traffic: only the patient engine keeps it; set engine to patient, or "
                       "traffic to 0");
    }
    if (s->continuity && !is_patient) {
        return sc_fail(diag, SC_EINVAL,
                       "continuity: only the patient engine keeps it; set engine to patient, or "
                       "remove continuity");
    }
    const bool keeps_some =
        is_patient || is_engine(s, "basic") || is_engine(s, "bounded") || is_engine(s, "hybrid");
    if (*s->zone_key && !keeps_some) {
        return sc_fail(diag, SC_EINVAL,
                       "zone-key: only the engines patient, basic, bounded and hybrid keep zones; "
                       "set engine to one of these, or remove zone-key");
    }
    if (*s->classes && !keeps_some) {
        return sc_fail(diag, SC_EINVAL,
                       "classes: only the engines patient, basic, bounded and hybrid keep them; "
                       "set engine to one of these, or remove classes");
    }
    return SC_OK;
}

sc_unused_setting sc_settings_unused(const sc_settings *s, size_t *from)
{
    const bool is_patient = is_engine(s, "patient");
    const bool is_hybrid = is_engine(s, "hybrid");
    const bool is_bounded = is_hybrid || is_engine(s, "bounded");
    const bool has_rare = s->rare_requests == SC_RARE_REQUESTS_DROP;
    static const char linked[] = "it is used with continuity alone";
    static const char rare[] = "it is used with rare-requests = drop alone";
    const struct {
        const char *name;
        bool is_used;
        const char *why;
    } rows[] = {
        {"strict", is_bounded || is_patient, "only the engines bounded, hybrid and patient use it"},
        {"no-strict", is_patient, "only the engine patient uses it"},
        {"lambda", is_bounded, "only the engines bounded and hybrid use it"},
        {"alpha", is_hybrid || is_patient, "only the engines hybrid and patient use it"},
        {"crowd", is_patient, "only the engine patient uses it"},
        {"k-spread", !is_engine(s, "sampling") && !is_engine(s, "expansion"),
         "the engines sampling and expansion do not use it"},
        {"cap", !is_engine(s, "xstar"), "the engine xstar does not use it"},
        {"vmax", s->continuity, linked},
        {"tau", s->continuity, linked},
        {"rare-users", has_rare, rare},
        {"rare-window", has_rare, rare},
        {"rare-memory", has_rare, rare},
        {"jwt-user", *s->jwt_keys != '\0', "it is used with jwt-keys alone"},
        {"jwt-refresh", sc_key_source_is_remote(s->jwt_keys),
         "it is used with jwt-keys at an address alone"},
        {"oblivious-period", s->oblivious && *s->oblivious_keys == '\0',
         "it is used with oblivious and without oblivious-keys alone"},
        {"oblivious-window", s->oblivious, "it is used with oblivious alone"},
        {"oblivious-replays", s->oblivious, "it is used with oblivious alone"},
        {"pass-epoch", *s->pass_issuer != '\0', "it is used with pass-issuer alone"},
        {"zone-roads", *s->zone_key != '\0', "it is used with a zone-key alone"},
        {"record-true-positions-max", *s->record_positions != '\0',
         "it is used with record-true-positions alone"},
        {"report-days", *s->report_log != '\0', "it is used with a report-log alone"},
        {"cloak-log-max", *s->cloak_log != '\0', "it is used with a cloak-log alone"},
    };
    while (*from < sizeof rows / sizeof *rows) {
        const size_t i = (*from)++;
        if (rows[i].is_used || is_default(s, rows[i].name)) continue;
        return (sc_unused_setting){.name = rows[i].name, .why = rows[i].why};
    }
    return (sc_unused_setting){.name = NULL};
}

sc_err sc_settings_check(const sc_settings *settings, sc_diag *diag)
{
    const sc_policy policy = sc_settings_policy(settings);
    sc_err err = sc_policy_check(&policy, diag);
    if (!err) err = check_admin(settings, diag);
    if (!err) err = check_forwarded(settings, diag);
    if (!err) err = check_record(settings, diag);
    if (!err) err = check_origins(settings, diag);
    if (!err) err = check_tls(settings, diag);
    if (!err) err = check_jwt(settings, diag);
    if (!err) err = check_oblivious(settings, diag);
    if (!err) err = check_pass(settings, diag);
    if (!err) err = check_provider(settings, diag);
    if (!err) err = check_demands(settings, diag);
    if (!err && settings->guard_s >= settings->min_wait_s) {
        err = sc_fail(diag, SC_EINVAL, "guard: must be less than min-wait");
    }
    if (!err && settings->provider_timeout_s > settings->provider_deadline_s) {
        err = sc_fail(diag, SC_EINVAL, "provider-timeout: must not be more than provider-deadline");
    }
    return err;
}
