import Templates
import Web

/// The messages around a reported one.
struct AroundMessageView: View {
  let lines: [AroundLineView]

  init(_ lines: [ReportedMessageLine], _ formatter: CaseFormatter) {
    self.lines = lines.map {
      AroundLineView(line: $0, moment: formatter.when.moment($0.createdAt))
    }
  }

  static let fields: [String: Field<AroundMessageView>] = ["lines": .list { $0.lines }]
}

/// One message around a reported one.
struct AroundLineView: View {
  let line: ReportedMessageLine
  let moment: String

  static let fields: [String: Field<AroundLineView>] = [
    "name": .text { $0.line.authorName },
    "words": .optionalText { $0.line.text.isEmpty ? nil : $0.line.text },
    "moment": .text { $0.moment },
    "reported": .flag { $0.line.isReported },
    "count": .integer { $0.line.pictureCount },
    "has_voice": .flag { $0.line.hasVoice },
    "has_pictures": .flag { $0.line.pictureCount > 0 },
  ]
}
