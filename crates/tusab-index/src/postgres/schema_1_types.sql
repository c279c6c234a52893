-- Where the extensions are not to be had, before the tables. Vectors are lists of numbers, compared one by one.
CREATE DOMAIN vector AS real[];
CREATE FUNCTION vector_dims(numbers real[]) RETURNS int LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS 'SELECT cardinality(numbers)';
CREATE FUNCTION cosine_distance(a real[], b real[]) RETURNS float8 LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT 1 - coalesce(sum(x::float8 * y) / nullif(sqrt(sum(x::float8 * x)) * sqrt(sum(y::float8 * y)), 0), 0)
    FROM unnest(a, b) AS pair (x, y)
$$;

-- A word as PostgreSQL's own search reads it, which has room for 2,046 bytes.
CREATE FUNCTION lexeme(word text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT '''' || CASE WHEN octet_length(word) > 1024 THEN 'md5 ' || md5(word)
        ELSE replace(replace(word, '\', '\\'), '''', '''''') END || ''''
$$;
CREATE FUNCTION words(list text) RETURNS tsvector LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT coalesce(string_agg(tusab.lexeme(word) || ':' || least(place, 16383), ' '), '')::tsvector
    FROM unnest(string_to_array(list, ' ')) WITH ORDINALITY AS of (word, place) WHERE word <> ''
$$;
CREATE FUNCTION all_of(words text[]) RETURNS tsquery LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT string_agg(tusab.lexeme(word), ' & ')::tsquery FROM unnest(words) AS of (word)
$$;
