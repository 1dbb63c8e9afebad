/// Bounce messages in the formats of several mail servers, each to a return address.
enum BounceSamples {
  /// Postfix: three parts, the report in the second.
  static func postfix(
    to address: String, action: String = "failed", status: String = "5.1.1",
    diagnostic: String = "smtp; 550 5.1.1 <lin@dest.example>: Recipient address rejected:"
      + "\n    User unknown in virtual mailbox table"
  ) -> String {
    """
    Return-Path: <>
    X-Original-To: \(address)
    Delivered-To: \(address)
    Received: by mail.pairspot.example (Postfix)
    \tid 4F2A1C0123; Tue, 13 Jan 2026 01:05:09 +0000 (UTC)
    Date: Tue, 13 Jan 2026 01:05:09 +0000 (UTC)
    From: MAILER-DAEMON@mail.pairspot.example (Mail Delivery System)
    Subject: Undelivered Mail Returned to Sender
    To: \(address)
    Auto-Submitted: auto-replied
    MIME-Version: 1.0
    Content-Type: multipart/report; report-type=delivery-status;
    \tboundary="9C5A7C0122.1768266309/mail.pairspot.example"
    Content-Transfer-Encoding: 8bit
    Message-Id: <20260113010509.4F2A1C0123@mail.pairspot.example>

    This is a MIME-encapsulated message.

    --9C5A7C0122.1768266309/mail.pairspot.example
    Content-Description: Notification
    Content-Type: text/plain; charset=utf-8
    Content-Transfer-Encoding: 8bit

    This is the mail system at host mail.pairspot.example.

    I'm sorry to have to inform you that your message could not
    be delivered to one or more recipients. It's attached below.

    --9C5A7C0122.1768266309/mail.pairspot.example
    Content-Description: Delivery report
    Content-Type: message/delivery-status

    Reporting-MTA: dns; mail.pairspot.example
    X-Postfix-Queue-ID: 9C5A7C0122
    X-Postfix-Sender: rfc822; \(address)
    Arrival-Date: Tue, 13 Jan 2026 01:05:05 +0000 (UTC)

    Final-Recipient: rfc822; lin@dest.example
    Original-Recipient: rfc822;lin@dest.example
    Action: \(action)
    Status: \(status)
    Remote-MTA: dns; mx.dest.example
    Diagnostic-Code: \(diagnostic)

    --9C5A7C0122.1768266309/mail.pairspot.example
    Content-Description: Undelivered Message
    Content-Type: message/rfc822
    Content-Transfer-Encoding: 8bit

    \(original)
    --9C5A7C0122.1768266309/mail.pairspot.example--
    """
  }

  /// The original message as quoted in reports.
  static let original = """
    Return-Path: <home@pairspot.example>
    From: PairSpot <home@pairspot.example>
    To: lin@dest.example
    Subject: [PairSpot] About Mei's check-in
    Message-ID: <0198-1@pairspot.example>

    Mei has not checked in.
    """

  /// Exim since 4.88: the boundary without quotes, the report under odd capitals.
  static func exim(to address: String) -> String {
    """
    Envelope-to: \(address)
    Delivery-date: Tue, 13 Jan 2026 01:05:09 +0000
    Received: from Debian-exim by mx.host.example with local (Exim 4.96)
    \tid 1rOPmX-0001aB-2c for \(address); Tue, 13 Jan 2026 01:05:09 +0000
    X-Failed-Recipients: lin@dest.example
    Auto-Submitted: auto-replied
    From: Mail Delivery System <Mailer-Daemon@mx.host.example>
    To: \(address)
    References: <0198-1@pairspot.example>
    Content-Type: multipart/report; report-type=delivery-status; boundary=1768266309-eximdsn-1804289383
    MIME-Version: 1.0
    Subject: Mail delivery failed: returning message to sender
    Message-Id: <E1rOPmX-0001aB-2c@mx.host.example>
    Date: Tue, 13 Jan 2026 01:05:09 +0000

    --1768266309-eximdsn-1804289383
    Content-type: text/plain; charset=us-ascii

    This message was created automatically by mail delivery software.

      lin@dest.example
        host mx.dest.example [192.0.2.25]
        SMTP error from remote mail server after RCPT TO:<lin@dest.example>:
        550 5.1.1 <lin@dest.example> User doesn't exist

    --1768266309-eximdsn-1804289383
    Content-type: message/delivery-status

    Reporting-MTA: dns; mx.host.example

    Action: failed
    Final-Recipient: rfc822;lin@dest.example
    Status: 5.0.0
    Remote-MTA: dns; mx.dest.example
    Diagnostic-Code: smtp; 550 5.1.1 <lin@dest.example> User doesn't exist

    --1768266309-eximdsn-1804289383
    Content-type: message/rfc822

    \(original)

    --1768266309-eximdsn-1804289383--
    """
  }

  /// Exim before it wrote reports: text only.
  static func oldExim(to address: String) -> String {
    """
    Return-path: <>
    Envelope-to: \(address)
    From: Mail Delivery System <Mailer-Daemon@mx.host.example>
    To: \(address)
    Subject: Mail delivery failed: returning message to sender

    This message was created automatically by mail delivery software (Exim 4.69, 5.1 or so).

    A message that you sent could not be delivered to one or more of its
    recipients. This is a permanent error. The following address(es) failed:

      lin@dest.example
        SMTP error from remote mail server after RCPT TO:<lin@dest.example>:
        host mx.dest.example [5.1.1.25]: 550-5.1.1 No such mailbox here
    """
  }

  /// Gmail: a picture among the parts, the text in base64, the report in the middle.
  static func gmail(to address: String) -> String {
    """
    Delivered-To: \(address)
    Return-Path: <>
    From: Mail Delivery Subsystem <mailer-daemon@googlemail.com>
    To: \(address)
    Auto-Submitted: auto-replied
    Subject: Delivery Status Notification (Failure)
    Message-ID: <65a1e2c5.170a0220.1f3b5.c8f1.GMR@mx.google.com>
    Content-Type: multipart/report; boundary="000000000000a4e2f4060ec1b0aa"; report-type=delivery-status

    --000000000000a4e2f4060ec1b0aa
    Content-Type: multipart/related; boundary="000000000000a4dd7c060ec1b0a3"

    --000000000000a4dd7c060ec1b0a3
    Content-Type: multipart/alternative; boundary="000000000000a4dd86060ec1b0a4"

    --000000000000a4dd86060ec1b0a4
    Content-Type: text/plain; charset="UTF-8"
    Content-Transfer-Encoding: base64

    KiogQWRkcmVzcyBub3QgZm91bmQgKioKCllvdXIgbWVzc2FnZSB3YXNuJ3QgZGVsaXZlcmVkLg==

    --000000000000a4dd86060ec1b0a4
    Content-Type: text/html; charset="UTF-8"

    <html><h1>Address not found</h1></html>

    --000000000000a4dd86060ec1b0a4--
    --000000000000a4dd7c060ec1b0a3
    Content-Type: image/png; name="icon.png"
    Content-Transfer-Encoding: base64
    Content-ID: <icon.png>

    iVBORw0KGgoAAAANSUhEUgAAAJAAAACQCAYAAADnRuK4AAAACXBIWXMAABYlAAAWJQFJUiTw

    --000000000000a4dd7c060ec1b0a3--
    --000000000000a4e2f4060ec1b0aa
    Content-Type: message/delivery-status

    Reporting-MTA: dns; googlemail.com
    Received-From-MTA: dns; home@pairspot.example
    Arrival-Date: Mon, 12 Jan 2026 17:05:05 -0800 (PST)
    X-Original-Message-ID: <0198-1@pairspot.example>

    Final-Recipient: rfc822; lin@gmail.com
    Action: failed
    Status: 5.1.1
    Remote-MTA: dns; gmail-smtp-in.l.google.com. (192.0.2.27, the server for the domain gmail.com.)
    Diagnostic-Code: smtp; 550-5.1.1 The email account that you tried to reach does not exist.
     550-5.1.1 Please try double-checking the recipient's email address
    Last-Attempt-Date: Mon, 12 Jan 2026 17:05:07 -0800 (PST)

    --000000000000a4e2f4060ec1b0aa
    Content-Type: message/rfc822

    \(original)

    --000000000000a4e2f4060ec1b0aa--
    """
  }

  /// Outlook: from the postmaster, HTML only, a status in the 5.1.10 format.
  static func outlook(to address: String) -> String {
    """
    Received: from AM0EUR04FT056.eop-eur04.prod.protection.outlook.com by mail.pairspot.example
    From: <postmaster@outlook.com>
    To: <\(address)>
    Date: Tue, 13 Jan 2026 01:05:09 +0000
    Content-Type: multipart/report; report-type=delivery-status;
    \tboundary="d71cf60d-7f31-4f24-9b8c-5f0a2d8a2b71"
    X-MS-Exchange-Message-Is-Ndr:
    Content-Language: en-GB
    Message-ID: <ddb6@AM0EUR04FT056.eop-eur04.prod.protection.outlook.com>
    In-Reply-To: <0198-1@pairspot.example>
    Subject: Undeliverable: [PairSpot] About Mei's check-in
    Auto-Submitted: auto-replied
    MIME-Version: 1.0

    --d71cf60d-7f31-4f24-9b8c-5f0a2d8a2b71
    Content-Type: multipart/alternative; differences=Content-Type;
    \tboundary="2f1c8e4c-6c16-4a8d-9a7c-0b3a3b6d7a13"

    --2f1c8e4c-6c16-4a8d-9a7c-0b3a3b6d7a13
    Content-Type: text/plain; charset="us-ascii"
    Content-Transfer-Encoding: quoted-printable

    lin@outlook.com wasn't found at outlook.com.=0D=0A

    --2f1c8e4c-6c16-4a8d-9a7c-0b3a3b6d7a13--

    --d71cf60d-7f31-4f24-9b8c-5f0a2d8a2b71
    Content-Type: message/delivery-status

    Reporting-MTA: dns;AM0EUR04FT056.mail.protection.outlook.com
    Received-From-MTA: dns;mail.pairspot.example
    Arrival-Date: Tue, 13 Jan 2026 01:05:08 +0000

    Final-Recipient: rfc822;lin@outlook.com
    Action: failed
    Status: 5.5.0
    Diagnostic-Code: smtp;550 5.5.0 Requested action not taken: mailbox unavailable
    X-Display-Name: lin@outlook.com

    --d71cf60d-7f31-4f24-9b8c-5f0a2d8a2b71
    Content-Type: message/rfc822

    \(original)

    --d71cf60d-7f31-4f24-9b8c-5f0a2d8a2b71--
    """
  }

  /// Vacation replies, one conforming to RFC 3834 and one not.
  static func vacation(to address: String) -> String {
    """
    Return-Path: <>
    From: Lin <lin@dest.example>
    To: \(address)
    Subject: Out of office
    Auto-Submitted: auto-replied
    Content-Type: text/plain; charset=utf-8

    I am away until 5.1.2026; call +886 5.12.13.14 or see 10.5.1.1, version 15.1.1 or 5.1.1.1.
    """
  }

  /// A "Reply all" that quotes a bounce.
  static func reply(to address: String) -> String {
    """
    Return-Path: <lin@dest.example>
    From: Lin <lin@dest.example>
    To: \(address)
    Subject: Re: your mail

    I got this: 550 5.1.1 No such user. What is it?
    """
  }
}
