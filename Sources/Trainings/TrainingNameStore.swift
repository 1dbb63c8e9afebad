import Core
import Database

extension TrainingStore {
  /// The names of those that are published.
  public func names(
    of trainings: Set<ID<Training>>, in reader: ReadTransaction
  ) throws -> [ID<Training>: String] {
    let found = try reader.rows(
      """
      SELECT t.id, t.name FROM \(IDList(trainings)) AS i CROSS JOIN trainings t
      WHERE t.id = i.id AND t.published_at IS NOT NULL
      """
    ) { (try $0.next(ID<Training>.self), try $0.next(String.self)) }
    return Dictionary(uniqueKeysWithValues: found)
  }
}
