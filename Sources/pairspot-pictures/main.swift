import Glibc
import ImageProcessing

// `pairspot-pictures`: processes one picture, in a process of its own with limits. A program of its
// own, so that libgd and its libraries are loaded here only.
umask(0o077)
exit(ImageProcessorProcess.run(arguments: Array(CommandLine.arguments.dropFirst())))
