import Glibc

// Tests the module `PhotoMetadata` with broken photos; built with a sanitizer by
// `deploy/scripts/fuzz.sh`, which also monitors it. The number of the round and its file are in
// FOLDER after any failure.
//   photo-fuzz FOLDER SEED FROM ROUNDS [bare]    "bare": without cameras' files

let arguments = CommandLine.arguments
guard (5...6).contains(arguments.count), let seed = UInt64(arguments[2]),
  let first = Int(arguments[3]), let rounds = Int(arguments[4]), first >= 0, rounds > 0
else {
  puts("usage: photo-fuzz FOLDER SEED FROM ROUNDS [bare]")
  exit(2)
}

func fuzz(in folder: String) -> Int32 {
  let note = open(folder + "/round", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
  guard note >= 0 else { return 2 }
  defer { close(note) }
  do {
    let corpus = try Corpus.make(in: folder, withCameras: arguments.count == 5)
    var trial = try Trial(in: folder)
    for round in first..<(first + rounds) {
      let line = Array("\(round)\n".utf8)
      _ = pwrite(note, line, line.count, 0)
      // A longer run hangs, however busy the machine is: the signal ends the process.
      alarm(120)
      var dice = SeededRandom(seed, round: round)
      do {
        try trial.run(Mutator.mutate(dice.pick(corpus), corpus, &dice), round: round)
      } catch {
        puts("round \(round): \(error)")
        return 1
      }
    }
    alarm(0)
    let refusals = trial.refused.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }
    puts(
      "seed \(seed), rounds \(first)..<\(first + rounds), \(corpus.count) files: "
        + "\(trial.taken) taken; \(refusals.joined(separator: ", "))")
    return trial.taken > 0 ? 0 : 1
  } catch {
    puts("\(error)")
    return 2
  }
}

let status = fuzz(in: arguments[1])
exit(status)
