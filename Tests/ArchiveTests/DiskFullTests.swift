import Archive
import Core
import Foundation
import Testing

@Suite("An archive on a full disk")
struct DiskFullTests {
  @Test("What the system refused is known by its number")
  func numbers() {
    for code in [ENOSPC, EDQUOT] { #expect(ZipError.system("write it", code).isFull) }
    #expect(!ZipError.tooLarge.isFull && !ZipError.system("write it", EIO).isFull)
  }
}
