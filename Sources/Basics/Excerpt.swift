extension String {
  /// The text, or its first `most` characters and an ellipsis: how a page names what somebody
  /// wrote elsewhere.
  public func excerpt(_ most: Int) -> String {
    guard dropFirst(most).isEmpty == false else { return self }
    var start = prefix(most)
    while start.last?.isWhitespace == true { start.removeLast() }
    return start + "…"
  }
}
