package org.starcloak.client;

import java.util.Map;

/** Problem details (RFC 9457). */
public final class Problem {
    public final String type;
    public final String title;
    public final int status;
    /** What is wrong in this case, and what to do; may be null. */
    public final String detail;
    /** Where the problem is in the request; may be null. */
    public final String field;

    private Problem(String type, String title, int status, String detail, String field) {
        this.type = type;
        this.title = title;
        this.status = status;
        this.detail = detail;
        this.field = field;
    }

    /** Of a reply; made up from the status if the reply is of something in between. */
    static Problem of(int status, Map<String, Object> body) {
        String type = Json.text(body, "type");
        String title = Json.text(body, "title");
        if (type == null || title == null) {
            return new Problem("about:blank", "HTTP status " + status, status, null, null);
        }
        return new Problem(type, title, status, Json.text(body, "detail"), Json.text(body, "field"));
    }

    @Override
    public String toString() {
        return status + " " + title + (detail == null ? "" : "; " + detail);
    }
}
