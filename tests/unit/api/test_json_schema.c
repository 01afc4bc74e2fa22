// The validator that responses are checked with: each word accepts what it should and refuses the
// rest, and a word that is not known is never passed over.
#include "support/check.h"
#include "support/json_schema.h"

typedef struct trial {
    const char *schema;
    const char *fits[6];
    const char *differs[8];
} trial;

static const trial trials[] = {
    {"{}", {"1", "null", "[]"}, {NULL}},
    {"{'type':'object'}", {"{}", "{'a':1}"}, {"[]", "1", "null"}},
    {"{'type':'array'}", {"[]", "[1]"}, {"{}", "'a'"}},
    {"{'type':'string'}", {"''", "'a'"}, {"1", "null"}},
    {"{'type':'number'}", {"1", "1.5", "-2e3"}, {"'1'", "true"}},
    {"{'type':'integer'}", {"1", "-7", "10.0"}, {"1.5", "'1'", "1e300"}},
    {"{'type':'boolean'}", {"true", "false"}, {"0", "null"}},
    {"{'type':'null'}", {"null"}, {"0", "false", "''"}},
    {"{'type':['integer','null']}", {"1", "null"}, {"1.5", "'a'", "[]"}},
    {"{'enum':['a',1,null]}", {"'a'", "1", "1.0", "null"}, {"'b'", "2", "false"}},
    {"{'const':400}", {"400", "400.0"}, {"401", "'400'"}},
    {"{'const':{'a':[1,2]}}", {"{'a':[1,2]}"}, {"{'a':[2,1]}", "{}"}},
    {"{'required':['a','b']}", {"{'a':1,'b':null}", "7"}, {"{}", "{'a':1}"}},
    {"{'properties':{'a':{'type':'integer'}}}", {"{}", "{'a':1}", "{'b':'c'}"}, {"{'a':'1'}"}},
    {"{'properties':{'a':{}},'additionalProperties':false}", {"{}", "{'a':1}"}, {"{'b':1}"}},
    {"{'additionalProperties':false}", {"{}", "3"}, {"{'a':1}"}},
    {"{'properties':{'a':{}},'additionalProperties':{'type':'integer'}}",
     {"{'a':'x','b':1}"},
     {"{'b':'x'}"}},
    {"{'minProperties':1}", {"{'a':1}", "[]"}, {"{}"}},
    {"{'items':{'type':'integer'}}", {"[]", "[1,2]", "{}"}, {"[1,'a']"}},
    {"{'prefixItems':[{'type':'integer'},{'type':'string'}],'items':{'type':'null'}}",
     {"[]", "[1]", "[1,'a']", "[1,'a',null,null]"},
     {"['a']", "[1,2]", "[1,'a',3]"}},
    {"{'prefixItems':[{'type':'integer'}],'items':false}", {"[]", "[1]"}, {"[1,1]", "['a']"}},
    {"{'minItems':1,'maxItems':2}", {"[1]", "[1,2]", "{}"}, {"[]", "[1,2,3]"}},
    {"{'uniqueItems':true}", {"[1,2,'1']"}, {"[1,2,1]", "[1,1.0]", "[{},{}]"}},
    {"{'minimum':0,'maximum':9}", {"0", "9", "'x'"}, {"-0.1", "9.1", "-1"}},
    {"{'exclusiveMinimum':0}", {"0.001", "null"}, {"0", "-1"}},
    {"{'minLength':1,'maxLength':2}", {"'a'", "'\xc3\xa4\xc3\xb6'", "7"}, {"''", "'abc'"}},
    {"{'pattern':'^[0-9a-f]{4}$'}", {"'00ff'", "5"}, {"'00FF'", "'00fff'", "''"}},
    {"{'oneOf':[{'type':'integer'},{'type':'string'}]}", {"1", "'a'"}, {"1.5", "null"}},
    {"{'oneOf':[{'minimum':0},{'maximum':9}]}", {"-1", "10"}, {"5"}},
    {"{'anyOf':[{'minimum':5},{'type':'string'}]}", {"5", "'a'"}, {"4"}},
    {"{'allOf':[{'minimum':5},{'maximum':6}]}", {"5", "6"}, {"4", "7"}},
    {"{'$ref':'#/defs/small'}", {"1", "9"}, {"10", "'a'"}},
    {"{'items':{'$ref':'#/defs/a~1b'}}", {"['x']"}, {"[1]"}},
    {"{'title':'t','description':'d','examples':[1],'default':2}", {"1", "'a'"}, {NULL}},
};

// JSON with single quotes, so that it can be read in C.
static json_t *parse(const char *text)
{
    char *copy = test_take(strlen(text) + 1, 1);
    for (size_t i = 0; text[i]; i++) {
        copy[i] = text[i] == '\'' ? '"' : text[i];
    }
    json_error_t error;
    json_t *value = json_loads(copy, JSON_DECODE_ANY, &error);
    if (!value) fail_msg("%s: %s", copy, error.text);
    free(copy);
    return value;
}

static schema_verdict judge(const char *schema, const char *value, schema_reason *why)
{
    json_t *document = parse("{'defs':{'small':{'type':'integer','maximum':9},"
                             "'a/b':{'type':'string'},'self':{'items':{'$ref':'#/defs/self'}}}}");
    json_t *parsed = parse(schema);
    json_t *tried = parse(value);
    const schema_verdict verdict = json_schema_check(document, parsed, tried, why);
    json_decref(tried);
    json_decref(parsed);
    json_decref(document);
    return verdict;
}

static void test_each_word_accepts_what_it_should_and_no_more(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof trials / sizeof *trials; i++) {
        const trial *t = &trials[i];
        for (size_t v = 0; v < 6 && t->fits[v]; v++) {
            schema_reason why = {""};
            if (judge(t->schema, t->fits[v], &why) != SCHEMA_FITS) {
                fail_msg("%s should accept %s: %s", t->schema, t->fits[v], why.text);
            }
        }
        for (size_t v = 0; v < 8 && t->differs[v]; v++) {
            schema_reason why = {""};
            if (judge(t->schema, t->differs[v], &why) != SCHEMA_DIFFERS) {
                fail_msg("%s should refuse %s", t->schema, t->differs[v]);
            }
            assert_true(why.text[0] != '\0');
        }
    }
}

static void test_a_reason_names_the_place(void **state)
{
    (void)state;
    schema_reason why = {""};
    assert_int_equal(judge("{'properties':{'a':{'items':{'properties':{'b':{'type':'null'}}}}}}",
                           "{'a':[{},{'b':1}]}", &why),
                     SCHEMA_DIFFERS);
    assert_string_equal(why.text, "/a/1/b: it is no null");
}

static void test_a_word_that_is_not_known_is_never_passed_over(void **state)
{
    (void)state;
    // Most of them stand where the value does not lead.
    static const char *const schemas[] = {
        "{'format':'uri'}",
        "{'dependentRequired':{}}",
        "{'properties':{'a':{'nullable':true}}}",
        "{'items':{'contains':{}}}",
        "{'prefixItems':[{'multipleOf':2}]}",
        "{'additionalProperties':{'if':{}}}",
        "{'oneOf':[{'type':'object'},{'not':{}}]}",
        "{'anyOf':[{},{'exclusiveMaximum':1}]}",
        "{'allOf':[{'unevaluatedProperties':false}]}",
    };
    for (size_t i = 0; i < sizeof schemas / sizeof *schemas; i++) {
        schema_reason why = {""};
        if (judge(schemas[i], "{}", &why) != SCHEMA_NOT_UNDERSTOOD) {
            fail_msg("passed over: %s", schemas[i]);
        }
        CHECK_CONTAINS(why.text, "not known");
    }
}

static void test_what_is_no_schema_is_not_understood(void **state)
{
    (void)state;
    static const char *const schemas[] = {
        "true",
        "{'type':'int'}",
        "{'type':[]}",
        "{'enum':[]}",
        "{'required':'a'}",
        "{'required':[1]}",
        "{'properties':[]}",
        "{'minimum':'1'}",
        "{'minItems':-1}",
        "{'uniqueItems':1}",
        "{'pattern':'('}",
        "{'oneOf':[]}",
        "{'$ref':'#/defs/missing'}",
        "{'$ref':'other.json#/a'}",
        "{'$ref':'#/defs/self'}",
    };
    for (size_t i = 0; i < sizeof schemas / sizeof *schemas; i++) {
        if (judge(schemas[i], "{}", NULL) != SCHEMA_NOT_UNDERSTOOD) {
            fail_msg("understood: %s", schemas[i]);
        }
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_each_word_accepts_what_it_should_and_no_more),
    cmocka_unit_test(test_a_reason_names_the_place),
    cmocka_unit_test(test_a_word_that_is_not_known_is_never_passed_over),
    cmocka_unit_test(test_what_is_no_schema_is_not_understood),
};
SC_SUITE(tests)
