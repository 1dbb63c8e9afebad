import Foundation
import S3
import Testing
import Web

@testable import App

@Suite struct NginxConfigurationTests {
  private var configuration: NginxConfiguration {
    NginxConfiguration(
      listenAddresses: ListenAddress.loopback, port: 8080, workers: 2,
      sockets: ["/data/run/1.sock", "/data/run/2.sock"],
      runFolder: "/data/run", publicFolder: "/share/public", mediaFolder: "/data/media",
      liveSocket: "/data/run/live.sock", guardPrefix: .random())
  }

  private func template() throws -> String {
    try String(
      contentsOf: TestInstance.checkout.appending(path: "deploy/nginx/pairspot.conf.template"),
      encoding: .utf8)
  }

  @Test("Every internal location has a name that begins with the secret of the start")
  func internalLocations() throws {
    let locations = try template().matches(of: /location [~^= ]*"?\^?(\S+?)"? \{\s*internal;/)
    #expect(locations.allSatisfy { $0.output.1.hasPrefix("@GUARD@/") })
    let internals = try template().matches(of: /\binternal;/).count
    #expect(internals == locations.count)
  }

  @Test("Client input never becomes the name of a location")
  func fixedTargets() throws {
    let directives = try template().matches(
      of: /(?m)^\s*(rewrite|error_page|try_files|auth_request|index|return 30\d)\b([^;]*);/)
    for directive in directives {
      let (name, words) = (directive.output.1, directive.output.2.split(separator: " "))
      switch name {
      case "error_page": #expect(words.last?.contains("$") == false, "\(words)")
      // Only its last argument is a location; the others are files below the root.
      case "try_files":
        #expect(words.last?.hasPrefix("@") == true || words.last == "=404", "\(words)")
      case "auth_request": #expect(words.last?.hasPrefix("@GUARD@/") == true, "\(words)")
      // A redirect to this instance, which the browser requests.
      case "return 301": #expect(words == ["\"@BASE_URL@$request_uri\""])
      // The handlers' redirect target, which the browser requests.
      case "return 303": #expect(words == ["$turned_to"])
      default: Issue.record("\(name) \(words)")
      }
    }
    #expect(directives.count > 10)
  }

  @Test("A start's secret has 128 bits, is read again as it was, and differs from the last one")
  func guardPrefix() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "guard-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    #expect(try GuardPrefix.current(in: folder.path) == .none)
    let made = GuardPrefix.random()
    #expect(made.path.wholeMatch(of: /\/x-[0-9a-f]{32}/) != nil && made != .random())
    try made.save(in: folder.path)
    #expect(try GuardPrefix.current(in: folder.path) == made)
  }

  @Test("Names are replaced by values, at every occurrence")
  func replacing() throws {
    let text = try configuration.render(template: "a @RUN@ b \"@RUN@/x\" @WORKERS@;")
    #expect(text == "a /data/run b \"/data/run/x\" 2;")
  }

  @Test("Each handler process is a server of the upstream")
  func sockets() throws {
    let text = try configuration.render(template: "@UPSTREAM_SERVERS@")
    #expect(
      text == """
        server "unix:/data/run/1.sock" max_fails=0;
            server "unix:/data/run/2.sock" max_fails=0;
        """)
  }

  @Test("It listens on the loopback addresses alone")
  func listening() throws {
    let text = try configuration.render(template: "@LISTEN_LINES@")
    #expect(
      text == """
        listen 127.0.0.1:8080 default_server backlog=1024;
            listen [::1]:8080 ipv6only=on default_server backlog=1024;
        """)
  }

  @Test("It listens on the addresses of PAIRSPOT_LISTEN")
  func listeningElsewhere() throws {
    var configuration = configuration
    configuration.listenAddresses = ["192.0.2.1", "2001:db8::1"].compactMap(ListenAddress.init)
    let text = try configuration.render(template: "@LISTEN_LINES@")
    #expect(text.contains("listen 192.0.2.1:8080 default_server"))
    #expect(text.contains("listen [2001:db8::1]:8080 ipv6only=on default_server"))
  }

  @Test("Plain http leads to the base URL, and only where a port is set for it")
  func redirect() throws {
    let template = "@REDIRECT@a @REDIRECT_LISTEN_LINES@ @BASE_URL@ @CHALLENGES@"
    #expect(try configuration.render(template: template) == "#a   ")
    var secure = configuration
    secure.redirect = .init(
      port: 80, baseURL: "https://pairspot.test", challengeFolder: "/data/run/acme-challenges")
    let text = try secure.render(template: template)
    #expect(text.hasPrefix("a listen 127.0.0.1:80 default_server"))
    #expect(text.hasSuffix("https://pairspot.test /data/run/acme-challenges"))
    secure.redirect = .init(port: 80, baseURL: "https://a;b", challengeFolder: "/c")
    #expect(throws: NginxConfiguration.Failure.unsafeValue("https://a;b")) {
      try secure.render(template: template)
    }
  }

  @Test("A certificate turns on https with TLS 1.2 and 1.3")
  func certificate() throws {
    var secure = configuration
    secure.certificate = "/data/run/certificate.pem"
    let text = try secure.render(template: "@LISTEN_LINES@ @TLS_LINES@ @CERTIFICATE@")
    #expect(text.contains("listen 127.0.0.1:8080 ssl http2"))
    #expect(text.contains("ssl_certificate_key $certificate;"))
    #expect(text.hasSuffix(" /data/run/certificate.pem"))
    #expect(text.contains("ssl_protocols TLSv1.2 TLSv1.3;"))
    #expect(text.contains("ssl_ciphers ECDHE-ECDSA-AES128-GCM-SHA256:"))
    #expect(try configuration.render(template: "@TLS_LINES@").isEmpty)
  }

  @Test("Errors from nginx itself for API calls are JSON")
  func errorsOfTheAPI() throws {
    let configuration = configuration
    let errors = "\(configuration.guardPrefix.path)/errors"
    let text = try configuration.render(template: "@API_ERRORS@")
    #expect(text.hasPrefix("error_page 413 \(errors)/413.json;\n"))
    #expect(text.contains("error_page 503 \(errors)/503.json;"))
    #expect(text.hasSuffix("error_page 500 =503 \(errors)/503.json;"))
  }

  @Test("Browsers get no error or redirect of a bucket, whatever its status")
  func errorsOfTheBucket() throws {
    let named = try configuration.render(template: "@STORE_REFUSALS@ @STORE_FAILURES@")
      .split(separator: " ").compactMap { Int($0) }
    #expect(named == (300...599).filter { ![304, 404, 416, 499].contains($0) })
    for line in ["@STORE_REFUSALS@ = @store_refuses;", "@STORE_FAILURES@ = @store_away;"] {
      #expect(try template().contains("error_page \(line)"))
    }
  }

  @Test("Lines for live streams count only where nginx has the module")
  func liveStreams() throws {
    let template = "@NCHAN@load_module \"@NCHAN_MODULE@\";\n@NO_NCHAN@return 503; @LIVE_SOCKET@"
    #expect(
      try configuration.render(template: template)
        == "#load_module \"\";\nreturn 503; /data/run/live.sock")
    var live = configuration
    live.nchanModule = "/m.so"
    #expect(
      try live.render(template: template)
        == "load_module \"/m.so\";\n#return 503; /data/run/live.sock")
  }

  @Test("Streams go through Redis only where it is set and nginx has the module")
  func redis() throws {
    let template = """
      @REDIS@nchan_redis_server "@REDIS_ADDRESS@";
      @REDIS@@REDIS_PASSWORD_MARK@nchan_redis_password "@REDIS_PASSWORD@";
      timeout @LONGEST_SILENCE@;
      """
    var shared = configuration
    shared.nchanModule = "/m.so"
    #expect(
      try shared.render(template: template)
        == """
        #nchan_redis_server "";
        ##nchan_redis_password "";
        timeout 10m;
        """)
    shared.redis = RedisServer("redis://cache")
    #expect(
      try shared.render(template: template)
        == """
        nchan_redis_server "redis://cache:6379/0";
        #nchan_redis_password "";
        timeout 2m;
        """)
    shared.redis = RedisServer("redis://:word@cache")
    let text = try shared.render(template: template)
    #expect(text.contains("\nnchan_redis_password \"word\";"))
    shared.nchanModule = nil
    let withoutModule = try shared.render(template: template)
    #expect(withoutModule.hasPrefix("#nchan_redis_server") && withoutModule.contains("\n#nchan"))
  }

  private func bucket(_ endpoint: String) throws -> NginxConfiguration.Bucket {
    NginxConfiguration.Bucket(
      settings: try S3Settings(
        endpoint: endpoint, bucket: "media", region: "eu-1", accessKey: "key",
        secretKey: "secret", isPathStyle: true),
      nameServers: NameServers.servers(
        in: "# a\nsearch b\nnameserver 192.0.2.1\nnameserver fe80::1%eth0\n"
          + "nameserver 2001:db8::1\n"))
  }

  @Test("Lines for a bucket count only where there is one, and reach its host alone")
  func bucketLines() throws {
    let template = "@BUCKET@a @NO_BUCKET@b @BUCKET_URL@@BUCKET_PATH@ @BUCKET_HOST@ @BUCKET_LINES@"
    #expect(try configuration.render(template: template) == "#a b   ")
    var stored = configuration
    stored.bucket = try bucket("https://s3.example:9000")
    let text = try stored.render(template: template)
    #expect(text.hasPrefix("a #b https://s3.example:9000/media s3.example:9000 resolver "))
    #expect(text.contains("resolver 192.0.2.1 [2001:db8::1];"))
    #expect(
      text.contains("proxy_ssl_verify on;") && text.contains("proxy_ssl_name \"s3.example\";"))
    stored.bucket = try bucket("http://[::1]:9000")
    let local = try stored.render(template: template)
    #expect(local == "a #b http://[::1]:9000/media [::1]:9000 ")
    #expect(NameServers.servers(in: "").map(\.text) == ["127.0.0.1"])
  }

  @Test("What a store says of itself is hidden")
  func bucketHeaders() throws {
    #expect(try configuration.render(template: "@BUCKET_HIDDEN_LINES@").isEmpty)
    var stored = configuration
    stored.bucket = try bucket("https://s3.example")
    let text = try stored.render(template: "@BUCKET_HIDDEN_LINES@")
    for name in ["Set-Cookie", "X-Amz-Request-Id", "X-Amz-Id-2", "Server", "Cache-Control"] {
      #expect(text.contains("proxy_hide_header \(name);"))
    }
  }

  @Test("Limits count the client behind a trusted proxy")
  func trustedProxies() throws {
    var behind = configuration
    #expect(try behind.render(template: "@REAL_IP_LINES@").isEmpty)
    behind.trustedProxies = try #require(TrustedProxies("10.0.0.0/8, ::1"))
    let text = try behind.render(template: "@REAL_IP_LINES@")
    #expect(text.contains("set_real_ip_from 10.0.0.0/8;"))
    #expect(text.contains("set_real_ip_from ::1/128;"))
    #expect(text.contains("real_ip_header X-Forwarded-For;"))
  }

  @Test("Browsers must stay with https only if the base URL says so")
  func strictTransport() throws {
    var secure = configuration
    #expect(try secure.render(template: "@STRICT_TRANSPORT@").isEmpty)
    secure.isSecure = true
    #expect(
      try secure.render(template: "@STRICT_TRANSPORT@") == "max-age=31536000; includeSubDomains")
  }

  @Test("The workers' user is named only when there is one")
  func user() throws {
    var asRoot = configuration
    asRoot.user = "root"
    #expect(try asRoot.render(template: "@USER_LINE@") == "user root;")
    #expect(try configuration.render(template: "@USER_LINE@").isEmpty)
  }

  @Test("A name without a value is an error, not an empty text")
  func unknownName() {
    #expect(throws: NginxConfiguration.Failure.unknownPlaceholder("@RUNN@")) {
      try configuration.render(template: "x @RUN@ @RUNN@")
    }
  }

  @Test("An at sign that names nothing stays, as in a named location")
  func otherAtSigns() throws {
    let text = try configuration.render(template: "location @absent { } a@b.test @")
    #expect(text == "location @absent { } a@b.test @")
  }

  @Test(
    "A path that could break out of its quotation marks is refused",
    arguments: ["/a\"; x", "/a$b", "/a\nb", "relative", "/a\\b", ""])
  func unsafePath(path: String) {
    var unsafe = configuration
    unsafe.mediaFolder = path
    #expect(throws: NginxConfiguration.Failure.unsafeValue(path)) {
      try unsafe.render(template: "@MEDIA@")
    }
  }

  @Test("A folder with a space and Chinese characters works")
  func unusualPath() throws {
    var unusual = configuration
    unusual.mediaFolder = "/home/小美/my photos"
    #expect(try unusual.render(template: "alias \"@MEDIA@/\";").contains("小美/my photos"))
  }

  @Test("nginx is started with the run folder as prefix, and logs errors to stderr")
  func arguments() {
    #expect(
      NginxConfiguration.arguments(runFolder: "/data/run")
        == ["-p", "/data/run/", "-c", "/data/run/nginx.conf", "-e", "stderr"])
  }
}
