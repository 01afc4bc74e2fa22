-- provider.answer(): one message of StarCloak's provider protocol (docs/provider-protocol.md, GeoJSON)
-- in, one reply out. What cannot be answered is an error whose SQLSTATE is SC and the HTTP status:
-- SC400, SC413, SC422; front.py makes the reply of it.
--
-- For every request: the objects on the segments S; and for each border node its own nearest, found by
-- pgr_drivingDistance() over the roads as they may be driven.
SET search_path = provider, public;

CREATE OR REPLACE FUNCTION refuse(status integer, words text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION '%', words USING ERRCODE = 'SC' || status;
END $$;

-- --- Requests -----------------------------------------------------------------------------------

-- The requests of a message, checked. A limit is in thousandths: millimetres or milliseconds.
CREATE OR REPLACE FUNCTION read_requests(message jsonb)
RETURNS TABLE (place integer, metric text, k integer, reach double precision, categories text[])
LANGUAGE plpgsql AS $$
DECLARE
    request jsonb;
    unit text;
    other text;
BEGIN
    IF jsonb_typeof(message->'requests') IS DISTINCT FROM 'array' OR jsonb_array_length(message->'requests') = 0 THEN
        PERFORM refuse(400, 'requests: a list with at least one request is needed');
    END IF;
    IF jsonb_array_length(message->'requests') > 1000 THEN
        PERFORM refuse(413, 'requests: more than 1000');
    END IF;
    place := -1;
    FOR request IN SELECT * FROM jsonb_array_elements(message->'requests') LOOP
        place := place + 1;
        IF jsonb_typeof(request) <> 'object' THEN
            PERFORM refuse(400, format('request %s: it is no object', place));
        END IF;
        metric := coalesce(request->>'metric', 'distance');
        IF metric NOT IN ('distance', 'time') THEN
            PERFORM refuse(422, format('request %s: unknown metric', place));
        END IF;
        unit := CASE metric WHEN 'time' THEN 'radius_s' ELSE 'radius_m' END;
        other := CASE metric WHEN 'time' THEN 'radius_m' ELSE 'radius_s' END;
        k := NULL;
        reach := NULL;
        IF request ? other THEN
            PERFORM refuse(422, format('request %s: a radius of the other metric', place));
        END IF;
        IF request->>'type' = 'knn' THEN
            IF jsonb_typeof(request->'k') IS DISTINCT FROM 'number' OR request ? unit
                OR (request->>'k')::numeric NOT BETWEEN 1 AND 1000 OR (request->>'k')::numeric % 1 <> 0 THEN
                PERFORM refuse(422, format('request %s: k must be a whole number from 1 to 1000', place));
            END IF;
            k := (request->>'k')::integer;
        ELSIF request->>'type' = 'range' THEN
            IF jsonb_typeof(request->unit) IS DISTINCT FROM 'number' OR request ? 'k' OR (request->>unit)::numeric
                NOT BETWEEN 0 AND (CASE metric WHEN 'time' THEN 7200 ELSE 100000 END) THEN
                PERFORM refuse(422, format('request %s: %s must be from 0 to 100000 m or 7200 s', place, unit));
            END IF;
            reach := (request->>unit)::double precision * 1000;
        ELSE
            PERFORM refuse(422, format('request %s: unknown type', place));
        END IF;
        categories := NULL;
        IF jsonb_typeof(request->'categories') = 'array' THEN
            IF jsonb_array_length(request->'categories') NOT BETWEEN 1 AND 16 THEN
                PERFORM refuse(422, format('request %s: 1 to 16 categories are allowed', place));
            END IF;
            SELECT array_agg(DISTINCT c ORDER BY c) INTO categories
                FROM jsonb_array_elements_text(request->'categories') AS c;
            IF EXISTS (SELECT FROM unnest(categories) AS c WHERE NOT EXISTS (
                    SELECT FROM objects AS o WHERE o.category = c)) THEN
                PERFORM refuse(422, format('request %s: unknown category', place));
            END IF;
        ELSIF jsonb_typeof(request->'categories') NOT IN ('null') THEN
            PERFORM refuse(400, format('request %s: categories must be a list', place));
        END IF;
        RETURN NEXT;
    END LOOP;
END $$;

-- --- Roads --------------------------------------------------------------------------------------

-- The geometry of the features whose id is the letter and their place, in that order.
CREATE OR REPLACE FUNCTION read_features(message jsonb, letter text, kind text)
RETURNS TABLE (place integer, geom geometry) LANGUAGE plpgsql AS $$
DECLARE
    feature jsonb;
BEGIN
    place := 0;
    FOR feature IN SELECT f FROM jsonb_array_elements(message->'features') AS f WHERE f->>'id' LIKE letter || '%' LOOP
        IF feature->>'id' <> letter || place OR feature->'geometry'->>'type' IS DISTINCT FROM kind THEN
            PERFORM refuse(400, format('feature %s%s: it must be a %s', letter, place, kind));
        END IF;
        BEGIN
            geom := ST_GeomFromGeoJSON(feature->'geometry');
        EXCEPTION WHEN OTHERS THEN
            PERFORM refuse(400, format('feature %s%s: it has no geometry', letter, place));
        END;
        RETURN NEXT;
        place := place + 1;
    END LOOP;
END $$;

-- The segments under the lines: those that have their very points, in either direction. A provider with
-- a map of another origin must match lines with roads here, and never with less than was asked.
CREATE OR REPLACE FUNCTION find_segments(message jsonb) RETURNS integer[] LANGUAGE plpgsql AS $$
DECLARE
    line record;
    found integer[];
    all_found integer[] := '{}';
BEGIN
    FOR line IN SELECT * FROM read_features(message, 's', 'LineString') LOOP
        SELECT array_agg(s.id) INTO found FROM segments AS s
            WHERE s.geom && line.geom AND (ST_OrderingEquals(s.geom, line.geom)
                OR ST_OrderingEquals(s.geom, ST_Reverse(line.geom)));
        IF found IS NULL THEN
            PERFORM refuse(422, format('feature s%s: there is no such road here', line.place));
        ELSIF array_length(found, 1) > 1 THEN
            PERFORM refuse(422, format('feature s%s: several roads are drawn so', line.place));
        END IF;
        all_found := all_found || found;
    END LOOP;
    IF all_found = '{}' THEN
        PERFORM refuse(400, 'features: there is no segment');
    ELSIF array_length(all_found, 1) > 10000 THEN
        PERFORM refuse(413, 'features: more than 10000 segments');
    END IF;
    RETURN all_found;
END $$;

-- The crossings under the points: ends of the segments within five metres. By place, from 1.
CREATE OR REPLACE FUNCTION find_border_nodes(message jsonb, inside integer[]) RETURNS integer[] LANGUAGE plpgsql AS $$
DECLARE
    point record;
    found integer;
    all_found integer[] := '{}';
BEGIN
    FOR point IN SELECT * FROM read_features(message, 'b', 'Point') LOOP
        SELECT n.id INTO found FROM segments AS s JOIN nodes AS n ON n.id IN (s.node_a, s.node_b)
            WHERE s.id = ANY(inside) AND ST_DWithin(n.geom::geography, point.geom::geography, 5)
            ORDER BY ST_Distance(n.geom::geography, point.geom::geography) LIMIT 1;
        IF found IS NULL THEN
            PERFORM refuse(422, format('feature b%s: there is no such crossing at the ends of the segments', point.place));
        END IF;
        all_found := all_found || found;
    END LOOP;
    RETURN all_found;
END $$;

-- --- Searching ----------------------------------------------------------------------------------

-- All objects within a cost of each node, of some categories (NULL: of all), with the best way to each.
CREATE OR REPLACE FUNCTION objects_within(metric text, nodes integer[], reach double precision, wanted text[])
RETURNS TABLE (node bigint, object integer, cost double precision) LANGUAGE sql STABLE AS $$
    SELECT d.from_v, a.object, min(d.agg_cost + provider.cost(metric, a.mm, a.ms))
    FROM pgr_drivingDistance('SELECT * FROM provider.by_' || metric,
            nodes::bigint[], reach, directed => true) AS d
        JOIN provider.approaches AS a ON a.node = d.node
    WHERE wanted IS NULL OR a.category = ANY(wanted)
    GROUP BY d.from_v, a.object
    HAVING min(d.agg_cost + provider.cost(metric, a.mm, a.ms)) <= reach
$$;

-- Fill the table `found` with the k nearest of each node: a wider search each time, until all have k.
CREATE OR REPLACE FUNCTION find_nearest(metric text, nodes integer[], k integer, wanted text[]) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
    reach double precision := 500000;  -- 500 m, or 500 s
    longest double precision := CASE metric WHEN 'time' THEN 8388000 ELSE 134000000 END;
BEGIN
    LOOP
        DELETE FROM found;
        INSERT INTO found
            SELECT w.node, w.object, w.cost FROM (
                SELECT *, row_number() OVER (PARTITION BY o.node ORDER BY o.cost, o.object) AS rank
                FROM objects_within(metric, nodes, reach * second_bits(metric), wanted) AS o) AS w
            WHERE w.rank <= k;
        EXIT WHEN reach >= longest
            OR NOT EXISTS (SELECT FROM unnest(nodes) AS n WHERE (SELECT count(*) FROM found WHERE node = n) < k);
        reach := least(reach * 4, longest);
    END LOOP;
END $$;

-- --- The reply ----------------------------------------------------------------------------------

CREATE OR REPLACE FUNCTION answer(message jsonb) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE
    request record;
    inside integer[];
    border integer[];
    on_segments jsonb;
    lists jsonb;
    answers jsonb := '[]';
    features jsonb;
BEGIN
    IF jsonb_typeof(message) <> 'object' OR message->>'type' IS DISTINCT FROM 'FeatureCollection'
        OR jsonb_typeof(message->'features') IS DISTINCT FROM 'array' THEN
        PERFORM refuse(400, 'this is no FeatureCollection');
    ELSIF message->'starcloak' IS DISTINCT FROM '2'::jsonb THEN
        PERFORM refuse(400, 'only version 2 of the provider protocol is read here');
    END IF;
    CREATE TEMPORARY TABLE asked ON COMMIT DROP AS SELECT * FROM read_requests(message);
    IF EXISTS (SELECT FROM asked AS a GROUP BY a.metric, a.k, a.reach, a.categories HAVING count(*) > 1) THEN
        PERFORM refuse(422, 'requests: one is there twice');
    END IF;
    inside := find_segments(message);
    border := find_border_nodes(message, inside);
    CREATE TEMPORARY TABLE named (object integer) ON COMMIT DROP;
    CREATE TEMPORARY TABLE found (node bigint, object integer, cost double precision) ON COMMIT DROP;

    FOR request IN SELECT * FROM asked ORDER BY place LOOP
        WITH here AS (
            INSERT INTO named SELECT o.id FROM objects AS o JOIN edges AS e ON e.id = o.edge
                WHERE e.segment = ANY(inside) AND (request.categories IS NULL OR o.category = ANY(request.categories))
            RETURNING object)
        SELECT coalesce(jsonb_agg(object::text), '[]') INTO on_segments FROM here;

        DELETE FROM found;
        IF border = '{}' THEN
            NULL;  -- no way leads out
        ELSIF request.k IS NULL THEN
            -- What is on the very rim is within: half a unit more, and any second measure.
            INSERT INTO found SELECT * FROM objects_within(request.metric, border,
                (floor(request.reach + 0.000001) + 0.5) * second_bits(request.metric), request.categories);
        ELSE
            PERFORM find_nearest(request.metric, border, request.k, request.categories);
        END IF;
        INSERT INTO named SELECT object FROM found;

        SELECT coalesce(jsonb_object_agg('b' || b.place - 1, list), '{}') INTO lists
        FROM unnest(border) WITH ORDINALITY AS b (node, place), LATERAL (
            SELECT coalesce(jsonb_agg(jsonb_build_object('object', f.object::text,
                'distance_m', CASE request.metric WHEN 'time' THEN second ELSE first END / 1000,
                'duration_s', CASE request.metric WHEN 'time' THEN first ELSE second END / 1000)
                ORDER BY f.cost, f.object), '[]') AS list
            FROM found AS f, LATERAL (SELECT floor(f.cost / second_bits(request.metric))::numeric AS first) AS one,
                LATERAL (SELECT f.cost::numeric - first * second_bits(request.metric)::numeric AS second) AS two
            WHERE f.node = b.node) AS l;
        answers := answers || jsonb_build_object('on_segments', on_segments, 'border_nodes', lists);
    END LOOP;

    SELECT coalesce(jsonb_agg(jsonb_build_object('type', 'Feature', 'id', o.id::text,
        'properties', jsonb_build_object('category', o.category, 'name', o.name),
        'geometry', ST_AsGeoJSON(o.geom, 9)::jsonb)), '[]') INTO features
    FROM objects AS o WHERE o.id IN (SELECT object FROM named);
    RETURN jsonb_build_object('type', 'FeatureCollection', 'starcloak', 2, 'answers', answers, 'features', features);
END $$;
