/// A trigger of SQLite as a function and a trigger of PostgreSQL. Its condition is in the function,
/// since PostgreSQL's WHEN permits no subquery.
struct PostgreSQLTrigger {
  /// The definition up to the table: BEFORE UPDATE OF name ON couples.
  private let event: String
  private let name: String
  private let condition: String?
  private let body: String
  private let result: String

  /// `tokens` is a whole CREATE TRIGGER. Throws `StorageError.unsupported` if it can't be
  /// translated.
  init(_ tokens: ArraySlice<SQLTokens.Token>) throws {
    let parts = tokens.indices.filter { !tokens[$0].isSpace }
    func first(_ word: String, after index: Int = 0) -> Int? {
      parts.first { $0 >= index && tokens[$0].text == word }
    }
    guard parts.count > 6, let on = first("ON"), let begin = first("BEGIN", after: on),
      let table = parts.first(where: { $0 > on }), let next = parts.first(where: { $0 > table }),
      let end = parts.last(where: { tokens[$0].text == "END" }), end > begin
    else { throw StorageError.unsupported("PostgreSQL has no such TRIGGER") }
    name = tokens[parts[2]].text
    event = SQLTokens.text(tokens[parts[3]...table])
    condition =
      tokens[next].text == "WHEN"
      ? try PostgreSQLSchema.translated(tokens[(next + 1)..<begin]) : nil
    body = try SQLTokens.statements(tokens[(begin + 1)..<end]).map(Self.statement).joined()
    // Ignored after the change; before it the row to store, or to delete.
    result =
      switch (tokens[parts[3]].text, tokens[parts[4]].text) {
      case ("AFTER", _): "NULL"
      case (_, "DELETE"): "OLD"
      default: "NEW"
      }
  }

  var definition: String {
    // A comment ends with its line.
    let steps = condition.map { "IF\($0)\nTHEN \(body)\nEND IF;" } ?? body
    return """
      CREATE OR REPLACE FUNCTION \(name)() RETURNS trigger LANGUAGE plpgsql AS $trigger$
      BEGIN
      \(steps)
      RETURN \(result);
      END $trigger$;
      CREATE TRIGGER \(name) \(event) FOR EACH ROW EXECUTE FUNCTION \(name)()
      """
  }

  /// A statement of the body: `SELECT RAISE(ABORT, 'text')` raises an exception.
  private static func statement(_ tokens: ArraySlice<SQLTokens.Token>) throws -> String {
    let parts = tokens.filter { !$0.isSpace }
    if parts.starts(with: ["SELECT", "RAISE", "(", "ABORT", ","], by: { $0.text == $1 }),
      parts.count > 6, parts[5].kind == .text
    {
      // Two texts side by side are one with a quote.
      let text = SQLTokens.text(parts[5...].prefix { $0.kind == .text })
      return " RAISE EXCEPTION \(text.replacing("%", with: "%%"));"
    }
    return try PostgreSQLSchema.statement(tokens)
  }
}
