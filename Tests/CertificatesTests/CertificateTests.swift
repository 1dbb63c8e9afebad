import FakeAppStore
import Testing

@testable import Certificates

@Suite("A certificate")
struct CertificateTests {
  /// Signed by themselves until 2126; made with `openssl req -x509`.
  private static let otherAlgorithms = [
    // Ed25519.
    """
    MIIBLjCB4aADAgECAhQKzsQ2KsZaQTKBqLNrQbXQNdXxKDAFBgMrZXAwDDEKMAgGA1UEAwwBYTAgFw0yNjExMjYw
    MjM5MjdaGA8yMTI2MTEwMjAyMzkyN1owDDEKMAgGA1UEAwwBYTAqMAUGAytlcAMhAMQTAfrjXs0p49LClADf1C46
    KoRibG+jjdGQjIKb2Zs3o1MwUTAdBgNVHQ4EFgQUAhPXU1FGjnSkuS0UeAkrmQvFDVUwHwYDVR0jBBgwFoAUAhPX
    U1FGjnSkuS0UeAkrmQvFDVUwDwYDVR0TAQH/BAUwAwEB/zAFBgMrZXADQQDUBYZHWsjnTQpCD8/Wpf+yyEOqeHOf
    6Jh/NZnbuErK0VIuN7hlqIO1PRvGyCQRWksWS9cRh7qBocYzrql9qHUM
    """,
    // P-521.
    """
    MIIB9jCCAVigAwIBAgIULEfcszjk11QHEbfIzfWMBkW+vakwCgYIKoZIzj0EAwIwDDEKMAgGA1UEAwwBYTAgFw0y
    NjExMjYwMjM5MjdaGA8yMTI2MTEwMjAyMzkyN1owDDEKMAgGA1UEAwwBYTCBmzAQBgcqhkjOPQIBBgUrgQQAIwOB
    hgAEAGnFY+WFAIxAhLvZK7K7h2Xud7xPQVayZDBFxn3p4FF5sGReboAxET21Oaep6BAJAeThZlskPg9oDbilNZ5n
    DToqAPLnD3qdvNQdUz5+KmnX0i3LBCX90lwcz+v1xsAvAGdR0SZnOK7ztZdlbtQChzyl4liyuCcJ5steNQYLHfzd
    Ai+/o1MwUTAdBgNVHQ4EFgQUuU35pRbTuwkDO6Di2mWdW0SgunwwHwYDVR0jBBgwFoAUuU35pRbTuwkDO6Di2mWd
    W0SgunwwDwYDVR0TAQH/BAUwAwEB/zAKBggqhkjOPQQDAgOBiwAwgYcCQU5IH0NhbOGh49XCKz6m9U+dT+6gjdP3
    t1s7LK2BejcrG32QDdk6nC8vPH8rrC/X36fb/jf6TLfE4oJHfiPoLKULAkIB9gz0g46+0rDm5eZhySst0WnMeeP4
    d4WU6L5ZGXhowOo9IlJJvXWNtaJ3cx+MORJz0nFB/3wOJuWO4CxDnNpkCv4=
    """,
    // secp256k1.
    """
    MIIBbTCCARKgAwIBAgIULGWMRDh3pWsguBLtZMf9ZueKjagwCgYIKoZIzj0EAwIwDDEKMAgGA1UEAwwBYTAgFw0y
    NjExMjYwMjM5MjdaGA8yMTI2MTEwMjAyMzkyN1owDDEKMAgGA1UEAwwBYTBWMBAGByqGSM49AgEGBSuBBAAKA0IA
    BCmZeJajLrS8ZNGm2c2tGQ37d7kRqbjV8hup9aqO76TUmpoKlEfkYgQkYA2y1Omv0UsMBuviZOwMIuktdEQbEQaj
    UzBRMB0GA1UdDgQWBBSwA+1eajC7ELDlx5XVXqsPXnnijTAfBgNVHSMEGDAWgBSwA+1eajC7ELDlx5XVXqsPXnni
    jTAPBgNVHRMBAf8EBTADAQH/MAoGCCqGSM49BAMCA0kAMEYCIQDAHXUvgAEu+qTQXU245RHbu25P1I5eDr0OUysf
    wP9H+AIhAIUnHhXfeXe34xV5CuRENsXfIFgDjhuxTMQBUXBaCzIx
    """,
    // P-256 with explicit parameters instead of its name.
    """
    MIICYzCCAgmgAwIBAgIUO+ReemAcQPLVN4nBDeTp0TJ8xQkwCgYIKoZIzj0EAwIwDDEKMAgGA1UEAwwBYTAgFw0y
    NjExMjYwMjM5MjhaGA8yMTI2MTEwMjAyMzkyOFowDDEKMAgGA1UEAwwBYTCCAUswggEDBgcqhkjOPQIBMIH3AgEB
    MCwGByqGSM49AQECIQD/////AAAAAQAAAAAAAAAAAAAAAP///////////////zBbBCD/////AAAAAQAAAAAAAAAA
    AAAAAP///////////////AQgWsY12Ko6k+ez671VdpiGvGUdBrDMU7D2O848PifSYEsDFQDEnTYIhucEk2pmeOET
    nSa3gZ9+kARBBGsX0fLhLEJH+Lzm5WOkQPJ3A32BLeszoPShOUXYmMKWT+NC4v4af5uO5+tKfA+eFivOM1drMV7O
    y7ZAaDe/UfUCIQD/////AAAAAP//////////vOb6racXnoTzucrC/GMlUQIBAQNCAAS4B4MedVlHedW+Y5rN7cWX
    oZzOat6KkenChUh2y6QaQlRoNNeVu1+KskYZ+uNQ/c8edCkZEL2X98RyfW/dwuYQo1MwUTAdBgNVHQ4EFgQU2+0A
    Szg3nH5psm3EcSCwTySmEW4wHwYDVR0jBBgwFoAU2+0ASzg3nH5psm3EcSCwTySmEW4wDwYDVR0TAQH/BAUwAwEB
    /zAKBggqhkjOPQQDAgNIADBFAiEA5ZH+F+7GbJpEYqa+8bWz99PON8AZoH5KLPEGrSki4ugCIA3TYMkMpo4B9cYU
    gvRxj6haVa7jQzgYls5OwTPs1y3I
    """,
    // P-256, and SHA-512.
    """
    MIIBbzCCARWgAwIBAgIUIpu3mRRFZcTL8EVZ3yQKH2WK0LYwCgYIKoZIzj0EAwQwDDEKMAgGA1UEAwwBYTAgFw0y
    NjExMjYwMjM5MjdaGA8yMTI2MTEwMjAyMzkyN1owDDEKMAgGA1UEAwwBYTBZMBMGByqGSM49AgEGCCqGSM49AwEH
    A0IABAfbgdX4bvIHwa5jDPagg5xsoSm8aTSzjhf4pJCKKUNQWfUsvkaTo++Lk5FH0zmQ+miXTwnrgmDfSo3qEHzA
    ehmjUzBRMB0GA1UdDgQWBBTJPgM+4RqWie/xzGrJb5KZ/xQWRDAfBgNVHSMEGDAWgBTJPgM+4RqWie/xzGrJb5KZ
    /xQWRDAPBgNVHRMBAf8EBTADAQH/MAoGCCqGSM49BAMEA0gAMEUCIQCLWjdhULojZHiz10d6+ylHRxJwagnk4UyJ
    adCG4l9FlAIgE/3FPjt5K+MDIl/2EYrOelkseK8O8W9/0HRw8DaM0+4=
    """,
  ]

  @Test(
    "with a key on another curve, or signed with another algorithm, is refused",
    arguments: otherAlgorithms)
  func algorithms(text: String) {
    #expect(
      Certificate(pem: "-----BEGIN CERTIFICATE-----\n\(text)\n-----END CERTIFICATE-----") == nil)
  }

  @Test("in another encoding than DER is refused")
  func encoding() throws {
    let bytes = try FakeAppStore(now: .init(milliseconds: 1_772_409_600_000)).leaf
    // Both lengths have two bytes; three are not the shortest form.
    try #require(bytes[1] == 0x82 && bytes[5] == 0x82 && bytes[3] < 0xFF)
    let longOutside = [0x30, 0x83, 0x00] + bytes[2...]
    let longInside =
      bytes[..<3] + [bytes[3] + 1] + [0x30, 0x83, 0x00] + bytes[6...]
    for wrong in [longOutside, Array(longInside), bytes + [0], Array(bytes.dropLast()), []] {
      #expect(throws: CertificateError.malformed) { try Certificate(der: wrong) }
    }
  }
}
