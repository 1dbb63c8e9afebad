import Core
import Database

/// The unread messages of a user, as a part of the statement that counts for every page.
public enum UnreadMessages {
  /// A subquery with the number of unread messages in all conversations that the viewer sees; 100
  /// stands for more.
  public static func count(of viewer: Viewer) -> Query { ConversationStore.unreadCount(of: viewer) }
}
