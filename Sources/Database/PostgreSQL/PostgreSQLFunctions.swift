/// Functions of SQLite that PostgreSQL lacks, with SQLite's meaning: statements of both engines use
/// them. PostgreSQL puts their text in place of the call.
enum PostgreSQLFunctions {
  static let definitions =
    """
    CREATE OR REPLACE FUNCTION iif(boolean, bigint, bigint) RETURNS bigint
      LANGUAGE sql IMMUTABLE AS $$ SELECT CASE WHEN $1 THEN $2 ELSE $3 END $$;
    CREATE OR REPLACE FUNCTION hex(bytea) RETURNS text
      LANGUAGE sql IMMUTABLE AS $$ SELECT upper(encode($1, 'hex')) $$;
    -- 16 bytes at most, with 122 random bits.
    CREATE OR REPLACE FUNCTION randomblob(bigint) RETURNS bytea
      LANGUAGE sql VOLATILE AS $$ SELECT substr(uuid_send(gen_random_uuid()), 1, $1::integer) $$;
    """ + ["min": "<", "max": ">"].sorted { $0.key < $1.key }.map(choice).joined()

  /// The lesser or greater of two numbers or bytes, NULL if one is NULL; and the least or greatest
  /// bytes of a group.
  private static func choice(_ name: String, _ sign: String) -> String {
    """

    CREATE OR REPLACE FUNCTION \(name)(bigint, bigint) RETURNS bigint
      LANGUAGE sql IMMUTABLE AS $$ SELECT CASE WHEN $1 \(sign) $2 OR $1 IS NULL THEN $1 ELSE $2 END $$;
    CREATE OR REPLACE FUNCTION \(name)(bytea, bytea) RETURNS bytea
      LANGUAGE sql IMMUTABLE STRICT AS $$ SELECT CASE WHEN $1 \(sign) $2 THEN $1 ELSE $2 END $$;
    CREATE OR REPLACE AGGREGATE \(name)(bytea) (sfunc = \(name), stype = bytea);
    """
  }
}
