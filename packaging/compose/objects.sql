-- The table of docs/objects.md: it fits the defaults of --objects, and tells its listeners of changes.
CREATE EXTENSION IF NOT EXISTS postgis;

CREATE TABLE objects (
    id       bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    geom     geometry(Point, 4326) NOT NULL,
    category text NOT NULL CHECK (category <> ''),
    name     text
);

CREATE FUNCTION tell_of_objects() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NOTIFY objects;
    RETURN NULL;
END
$$;

CREATE TRIGGER objects_changed
    AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON objects
    FOR EACH STATEMENT EXECUTE FUNCTION tell_of_objects();

-- A few to begin with, in the city of `starcloak map generate --seed 1`.
INSERT INTO objects (geom, category, name) VALUES
    (ST_SetSRID(ST_Point(-29.9905, 44.9997), 4326), 'hospital', 'St. Mary''s'),
    (ST_SetSRID(ST_Point(-29.9800, 44.9900), 4326), 'hospital', 'General'),
    (ST_SetSRID(ST_Point(-30.0100, 45.0100), 4326), 'charger', 'East Yard');
