import Foundation
import HTTPTypes

/// Finds the route of a request in a tree of path segments, built once.
public struct Router: Sendable {
  /// The result of a look-up.
  public enum Match {
    case found(Route, [String: String])
    /// The address is known, but only with these other methods.
    case otherMethods([HTTPRequest.Method])
    case nothing

    var route: Route? {
      if case .found(let route, _) = self { route } else { nil }
    }
  }

  private final class Node: Sendable {
    let fixed: [String: Node]
    /// Parameters with a fixed suffix, such as ":id.csv", which take precedence over the plain one.
    let endings: [(name: String, end: String, node: Node)]
    let parameter: (name: String, node: Node)?
    let routes: [Route]

    init(_ routes: [(rest: ArraySlice<Substring>, route: Route)]) {
      self.routes = routes.filter { $0.rest.isEmpty }.map(\.route)
      var fixed: [String: [(ArraySlice<Substring>, Route)]] = [:]
      var parameters: [(ArraySlice<Substring>, Route)] = []
      var ended: [Substring: [(ArraySlice<Substring>, Route)]] = [:]
      var parameterName = ""
      for (rest, route) in routes {
        guard let segment = rest.first else { continue }
        if segment.hasPrefix(":"), segment.contains(".") {
          ended[segment, default: []].append((rest.dropFirst(), route))
        } else if segment.hasPrefix(":") {
          parameterName = String(segment.dropFirst())
          parameters.append((rest.dropFirst(), route))
        } else {
          fixed[String(segment), default: []].append((rest.dropFirst(), route))
        }
      }
      self.fixed = fixed.mapValues { Node($0) }
      endings = ended.map { segment, routes in
        let end = segment.firstIndex(of: ".") ?? segment.endIndex
        return (String(segment[..<end].dropFirst()), String(segment[end...]), Node(routes))
      }
      parameter = parameters.isEmpty ? nil : (parameterName, Node(parameters))
    }
  }

  private let root: Node
  /// Every route, in the order of the table.
  public let routes: [Route]

  public init(_ routes: [Route]) {
    self.routes = routes
    root = Node(routes.map { (ArraySlice(Self.segments($0.pattern)), $0) })
  }

  /// The route of a request; HEAD is matched as GET.
  public func match(_ method: HTTPRequest.Method, _ path: String) -> Match {
    var node = root
    var parameters: [String: String] = [:]
    guard path.hasPrefix("/") else { return .nothing }
    for segment in Self.segments(path) {
      guard let text = Self.decoded(segment) else { return .nothing }
      if let next = node.fixed[text] {
        node = next
      } else if let (name, end, next) = node.endings.first(where: { text.hasSuffix($0.end) }),
        text.utf8.count > end.utf8.count
      {
        parameters[name] = String(text.dropLast(end.count))
        node = next
      } else if let (name, next) = node.parameter, !text.isEmpty {
        parameters[name] = text
        node = next
      } else {
        return .nothing
      }
    }
    let wanted = method == .head ? .get : method
    if let route = node.routes.first(where: { $0.method == wanted }) {
      return .found(route, parameters)
    }
    return node.routes.isEmpty ? .nothing : .otherMethods(node.routes.map(\.method))
  }

  /// Nil for malformed percent-encoding.
  private static func decoded(_ segment: Substring) -> String? {
    segment.utf8.contains(UInt8(ascii: "%"))
      ? String(segment).removingPercentEncoding : String(segment)
  }

  /// "/" has none; "/a/" has an empty last one, which matches nothing.
  private static func segments(_ path: String) -> [Substring] {
    path == "/" ? [] : path.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
  }
}
