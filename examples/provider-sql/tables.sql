-- The tables of a provider, from what `starcloak map export FILE.scm csv` wrote. Run it in that folder:
--
--     cd csv && psql -v ON_ERROR_STOP=1 -f .../tables.sql DATABASE
--
-- A provider with data of its own fills `nodes`, `edges`, `segments` and `objects` in another way;
-- answer.sql reads only these, and what is made of them at the end.
--
-- Lengths are whole millimetres and times whole milliseconds, as StarCloak's maps have them, so that
-- sums are exact.
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS postgis;
CREATE EXTENSION IF NOT EXISTS pgrouting;
DROP SCHEMA IF EXISTS provider CASCADE;
CREATE SCHEMA provider;
SET search_path = provider, public;

-- --- As exported --------------------------------------------------------------------------------

CREATE TEMPORARY TABLE csv_nodes (node integer, lon double precision, lat double precision);
CREATE TEMPORARY TABLE csv_edges (edge integer, "from" integer, "to" integer, length_m numeric, segment integer,
    forward_s numeric, backward_s numeric, name text);
CREATE TEMPORARY TABLE csv_segments (segment integer, node_a integer, node_b integer, length_m numeric);
CREATE TEMPORARY TABLE csv_objects (poi integer, edge integer, offset_m numeric, category text, lon double precision,
    lat double precision, name text);
\copy csv_nodes FROM 'nodes.csv' CSV HEADER
\copy csv_edges FROM 'edges.csv' CSV HEADER
\copy csv_segments FROM 'segments.csv' CSV HEADER
\copy csv_objects FROM 'pois.csv' CSV HEADER

-- --- Roads --------------------------------------------------------------------------------------

CREATE TABLE nodes AS SELECT node AS id, ST_SetSRID(ST_MakePoint(lon, lat), 4326) AS geom FROM csv_nodes;
ALTER TABLE nodes ADD PRIMARY KEY (id);

-- Straight pieces of road. A time that is NULL: not open in that direction.
CREATE TABLE edges AS
    SELECT edge AS id, "from" AS source, "to" AS target, segment, round(length_m * 1000)::bigint AS length,
        round(forward_s * 1000)::bigint AS forward, round(backward_s * 1000)::bigint AS backward
    FROM csv_edges;
ALTER TABLE edges ADD PRIMARY KEY (id);
CREATE INDEX ON edges (segment);

-- Roads between two crossings or dead ends: their edges, one behind the other.
CREATE TABLE segments AS
    SELECT s.segment AS id, s.node_a, s.node_b, ST_MakeLine(ARRAY[a.geom] || line.points) AS geom
    FROM csv_segments AS s JOIN nodes AS a ON a.id = s.node_a,
        LATERAL (SELECT array_agg(n.geom ORDER BY e.id) AS points
                 FROM edges AS e JOIN nodes AS n ON n.id = e.target WHERE e.segment = s.segment) AS line;
ALTER TABLE segments ADD PRIMARY KEY (id);
CREATE INDEX ON segments USING gist (geom);

-- --- Objects ------------------------------------------------------------------------------------

-- An object lies on an edge, so far from the edge's source. Its position is found from that: the
-- exported one is rounded to a centimetre.
CREATE TABLE objects AS
    SELECT o.poi AS id, o.edge, round(o.offset_m * 1000)::bigint AS offset_mm, o.category, coalesce(o.name, '') AS name,
        ST_LineInterpolatePoint(ST_MakeLine(a.geom, b.geom),
            CASE WHEN e.length > 0 THEN least(1, o.offset_m * 1000 / e.length) ELSE 0 END::double precision) AS geom
    FROM csv_objects AS o JOIN edges AS e ON e.id = o.edge JOIN nodes AS a ON a.id = e.source
        JOIN nodes AS b ON b.id = e.target;
ALTER TABLE objects ADD PRIMARY KEY (id);
CREATE INDEX ON objects (edge);

-- --- Costs --------------------------------------------------------------------------------------

-- The way is the best in one measure, and of equally good ones the least in the other. So a cost
-- holds both: first * 2^bits + second, exact in a double up to 2^53. By distance that is up to 134 km
-- and 18 hours, by time up to 2.3 hours and 1,073 km.
CREATE FUNCTION second_bits(metric text) RETURNS double precision IMMUTABLE LANGUAGE sql
    RETURN CASE metric WHEN 'time' THEN 1073741824.0 ELSE 67108864.0 END;
CREATE FUNCTION cost(metric text, mm bigint, ms bigint) RETURNS double precision IMMUTABLE LANGUAGE sql
    RETURN CASE metric WHEN 'time' THEN ms * second_bits(metric) + mm ELSE mm * second_bits(metric) + ms END;

-- What pgRouting searches; a cost below 0 is closed.
CREATE VIEW by_distance AS
    SELECT id, source, target, coalesce(cost('distance', length, forward), -1) AS cost,
        coalesce(cost('distance', length, backward), -1) AS reverse_cost FROM edges;
CREATE VIEW by_time AS
    SELECT id, source, target, coalesce(cost('time', length, forward), -1) AS cost,
        coalesce(cost('time', length, backward), -1) AS reverse_cost FROM edges;

-- The last bit of the way, along an object's edge from either end. An object at an end is at the node
-- there, whether its road is open or not.
CREATE TABLE approaches AS
    SELECT o.id AS object, o.category, e.source AS node, o.offset_mm AS mm,
        CASE WHEN e.length = 0 THEN 0 ELSE round(coalesce(e.forward, 0) * o.offset_mm::numeric / e.length)::bigint END AS ms
    FROM objects AS o JOIN edges AS e ON e.id = o.edge WHERE e.forward IS NOT NULL OR o.offset_mm = 0
    UNION ALL
    SELECT o.id, o.category, e.target, e.length - o.offset_mm,
        CASE WHEN e.length = 0 THEN 0
            ELSE round(coalesce(e.backward, 0) * (e.length - o.offset_mm)::numeric / e.length)::bigint END
    FROM objects AS o JOIN edges AS e ON e.id = o.edge WHERE e.backward IS NOT NULL OR o.offset_mm = e.length;
CREATE INDEX ON approaches (node);
ANALYZE;
