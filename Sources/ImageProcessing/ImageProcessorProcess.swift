import Core
import Glibc
import Images

/// The short-lived process in which one untrusted picture or film is decoded: `pairspot-pictures`.
public enum ImageProcessorProcess {
  /// Sets the limits of this process for good, processes one file, and prints one line of JSON.
  ///
  /// Arguments: the kind of picture, the file, the output folder and the id for the new names;
  /// `convert`, the file and the new file; or `codes` and the file, which is only read. Returns the
  /// process's exit code. With `limited`, a program and its arguments, that program replaces this
  /// one. Never call it in a server.
  public static func run(arguments: [String], limits: ImageProcessLimits? = nil) -> Int32 {
    if arguments.count == 2, arguments[0] == ImageJobReport.codesArgument {
      return readCodes(arguments[1], limits)
    }
    if arguments.count == 3, arguments[0] == ImageJobReport.convertArgument {
      return convert(arguments[1], to: arguments[2], limits)
    }
    if arguments.count >= 2, arguments[0] == ImageJobReport.limitedArgument {
      let error = LimitedProgram.run(
        arguments[1], Array(arguments.dropFirst(2)), limits ?? .film)
      writeText("\(error)\n", on: STDERR_FILENO)
      return EX_SOFTWARE
    }
    guard arguments.count == 4, let kind = PictureKind(rawValue: arguments[0]),
      ID<PictureFiles.Name>(arguments[3]) != nil
    else {
      writeText(
        "usage: pairspot-pictures post|avatar|photo|photo-post|photo-avatar FILE FOLDER ID"
          + " | convert FILE TARGET | codes FILE | limited PROGRAM [ARGUMENT...]\n",
        on: STDERR_FILENO)
      return EX_USAGE
    }
    guard (limits ?? .of(kind)).apply() else {
      return report(.refused(PictureFile.failure("cannot set limits")))
    }
    do throws(PictureError) {
      let maker = try ImageJob(file: arguments[1], kind: kind)
      return report(.image(try maker.make(id: arguments[3], into: arguments[2])))
    } catch {
      return report(.refused(error))
    }
  }

  private static func convert(
    _ file: String, to target: String, _ limits: ImageProcessLimits?
  ) -> Int32 {
    guard (limits ?? .conversion).apply() else {
      return report(.refused(PictureFile.failure("cannot set limits")))
    }
    do throws(PictureError) {
      return report(.image(try HEIFConverter.convert(file, to: target)))
    } catch {
      return report(.refused(error))
    }
  }

  private static func readCodes(_ file: String, _ limits: ImageProcessLimits?) -> Int32 {
    guard (limits ?? .standard).apply() else {
      return report(.refused(PictureFile.failure("cannot set limits")))
    }
    do throws(PictureError) {
      return report(.codes(try CodeReader.read(file)))
    } catch {
      return report(.refused(error))
    }
  }

  private static func report(_ report: ImageJobReport) -> Int32 {
    writeText(report.line, on: STDOUT_FILENO)
    return report.exitCode
  }

  private static func writeText(_ text: String, on descriptor: Int32) {
    let bytes = Array(text.utf8)
    _ = write(descriptor, bytes, bytes.count)
  }
}
