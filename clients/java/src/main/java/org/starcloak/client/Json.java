package org.starcloak.client;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * JSON (RFC 8259) to and from maps, lists, texts, numbers (double), booleans and null. Java has no reader, and a
 * dependency for a few hundred bytes would be one that every application has to agree on.
 */
final class Json {
    /** Deeper ones are refused: a reader that calls itself has a stack. */
    private static final int DEEPEST = 64;

    private final String text;
    private int at;

    private Json(String text) {
        this.text = text;
    }

    /** The value of a text; throws IllegalArgumentException, which repeats nothing of it. */
    static Object read(String text) {
        Json json = new Json(text);
        Object value = json.value(0);
        json.skipBlanks();
        if (json.at != text.length()) throw json.wrong();
        return value;
    }

    /** As an object; empty if it is none. */
    @SuppressWarnings("unchecked")
    static Map<String, Object> object(Object value) {
        return value instanceof Map ? (Map<String, Object>) value : Collections.emptyMap();
    }

    static List<?> list(Object value) {
        return value instanceof List ? (List<?>) value : Collections.emptyList();
    }

    /** A member that is a text; otherwise null. */
    static String text(Map<String, Object> members, String name) {
        Object value = members.get(name);
        return value instanceof String ? (String) value : null;
    }

    static double number(Map<String, Object> members, String name, double otherwise) {
        Object value = members.get(name);
        return value instanceof Number ? ((Number) value).doubleValue() : otherwise;
    }

    static String write(Object value) {
        StringBuilder out = new StringBuilder();
        write(value, out);
        return out.toString();
    }

    private static void write(Object value, StringBuilder out) {
        if (value == null || value instanceof Boolean) {
            out.append(value);
        } else if (value instanceof Number) {
            double number = ((Number) value).doubleValue();
            if (Double.isNaN(number) || Double.isInfinite(number)) {
                throw new IllegalArgumentException("a number of a query must be finite");
            }
            boolean isWhole = number == Math.rint(number) && Math.abs(number) < 1e15;
            out.append(isWhole ? Long.toString((long) number) : Double.toString(number));
        } else if (value instanceof Map) {
            char before = '{';
            if (((Map<?, ?>) value).isEmpty()) out.append(before);
            for (Map.Entry<?, ?> member : ((Map<?, ?>) value).entrySet()) {
                out.append(before);
                writeText(String.valueOf(member.getKey()), out);
                out.append(':');
                write(member.getValue(), out);
                before = ',';
            }
            out.append('}');
        } else if (value instanceof List) {
            char before = '[';
            if (((List<?>) value).isEmpty()) out.append(before);
            for (Object item : (List<?>) value) {
                out.append(before);
                write(item, out);
                before = ',';
            }
            out.append(']');
        } else {
            writeText(String.valueOf(value), out);
        }
    }

    private static void writeText(String value, StringBuilder out) {
        out.append('"');
        for (int i = 0; i < value.length(); i++) {
            char c = value.charAt(i);
            if (c == '"' || c == '\\') {
                out.append('\\').append(c);
            } else if (c < 0x20 || Character.isSurrogate(c)) {
                out.append(String.format("\\u%04x", (int) c));
            } else {
                out.append(c);
            }
        }
        out.append('"');
    }

    private Object value(int depth) {
        skipBlanks();
        if (depth > DEEPEST || at >= text.length()) throw wrong();
        switch (text.charAt(at)) {
            case '{':
                return members(depth);
            case '[':
                return items(depth);
            case '"':
                return string();
            case 't':
                return word("true", Boolean.TRUE);
            case 'f':
                return word("false", Boolean.FALSE);
            case 'n':
                return word("null", null);
            default:
                return digits();
        }
    }

    private Map<String, Object> members(int depth) {
        Map<String, Object> members = new LinkedHashMap<>();
        at++;
        if (isNext('}')) return members;
        do {
            skipBlanks();
            if (at >= text.length() || text.charAt(at) != '"') throw wrong();
            String name = string();
            if (!isNext(':')) throw wrong();
            members.put(name, value(depth + 1));
        } while (isNext(','));
        if (!isNext('}')) throw wrong();
        return members;
    }

    private List<Object> items(int depth) {
        List<Object> items = new ArrayList<>();
        at++;
        if (isNext(']')) return items;
        do {
            items.add(value(depth + 1));
        } while (isNext(','));
        if (!isNext(']')) throw wrong();
        return items;
    }

    private String string() {
        StringBuilder out = new StringBuilder();
        for (at++; at < text.length(); at++) {
            char c = text.charAt(at);
            if (c == '"') {
                at++;
                return out.toString();
            }
            if (c < 0x20) throw wrong();
            out.append(c == '\\' ? escaped() : c);
        }
        throw wrong();
    }

    /** The sign that a backslash stands for; at is left at its last character. */
    private char escaped() {
        if (++at >= text.length()) throw wrong();
        char c = text.charAt(at);
        int plain = "\"\\/bfnrt".indexOf(c);
        if (plain >= 0) return "\"\\/\b\f\n\r\t".charAt(plain);
        if (c != 'u' || at + 4 >= text.length()) throw wrong();
        int code = 0;
        for (int i = 0; i < 4; i++) {
            int digit = Character.digit(text.charAt(++at), 16);
            if (digit < 0) throw wrong();
            code = code * 16 + digit;
        }
        return (char) code;
    }

    private Object word(String word, Object value) {
        if (!text.startsWith(word, at)) throw wrong();
        at += word.length();
        return value;
    }

    private Double digits() {
        int from = at;
        while (at < text.length() && "+-.eE0123456789".indexOf(text.charAt(at)) >= 0) at++;
        String number = text.substring(from, at);
        if (!number.matches("-?(0|[1-9]\\d*)(\\.\\d+)?([eE][+-]?\\d+)?")) throw wrong();
        return Double.valueOf(number);
    }

    private boolean isNext(char wanted) {
        skipBlanks();
        if (at >= text.length() || text.charAt(at) != wanted) return false;
        at++;
        return true;
    }

    private void skipBlanks() {
        while (at < text.length() && " \t\n\r".indexOf(text.charAt(at)) >= 0) at++;
    }

    private IllegalArgumentException wrong() {
        return new IllegalArgumentException("this is not JSON, from character " + at + " on");
    }
}
