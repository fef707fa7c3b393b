/** Mail by SMTP. The client is loaded with the first mail: most installations send none. */

import type { Transporter } from 'nodemailer';
import { withRootCertificates } from '../../upstream/trusted-certificates.ts';
import { hiddenText, itemTitle, type Message, shownItems, titleOf } from './message.ts';

interface MailSettings {
  readonly host: string | undefined;
  readonly port: number;
  readonly user: string | undefined;
  readonly password: string | undefined;
  readonly from: string | undefined;
  /** `starttls`: required. `tls`: from the first byte. `none`: for a server on the same machine. */
  readonly tls: 'starttls' | 'tls' | 'none';
  /** Certificates, in PEM, that are trusted besides the usual ones. */
  readonly ca?: string | undefined;
}

/** What the server answered to the message. Rejects where it did not accept it. */
export type SendMail = (to: readonly string[], message: Message) => Promise<string>;

const timeoutMs = 15_000;

/** `settings` is read for every mail: a change in the console acts at once. */
export function createMailer(settings: () => MailSettings): SendMail {
  let made: { readonly of: string; readonly transport: Transporter } | undefined;

  async function transportOf(given: MailSettings): Promise<Transporter> {
    const of = JSON.stringify(given);
    if (made?.of === of) return made.transport;
    made?.transport.close();
    const { createTransport } = await import('nodemailer');
    const { host, port, user, password, tls, ca } = given;
    const transport = createTransport({
      host: host ?? '',
      port,
      secure: tls === 'tls',
      requireTLS: tls === 'starttls',
      ignoreTLS: tls === 'none',
      connectionTimeout: timeoutMs,
      greetingTimeout: timeoutMs,
      socketTimeout: timeoutMs,
      ...(user !== undefined && { auth: { user, pass: password ?? '' } }),
      ...(ca !== undefined && { tls: { ca: withRootCertificates(ca) } }),
      // A message names no file and no URL that would be read.
      disableFileAccess: true,
      disableUrlAccess: true,
    });
    made = { of, transport };
    return transport;
  }

  return async (to, message) => {
    const given = settings();
    if (given.host === undefined || given.from === undefined) {
      throw new Error('Mail is not set up. Set mail.host and mail.from.');
    }
    const transport = await transportOf(given);
    const sent = await transport.sendMail({
      from: given.from,
      to: [...to],
      subject: titleOf(message),
      text: mailText(message),
      messageId: `<${message.id}@weir>`,
      headers: { 'auto-submitted': 'auto-generated' },
    });
    return sent.response ?? '';
  };
}

export function mailText(message: Message): string {
  const { shown, hidden } = shownItems(message);
  const paragraphs = shown.map((item) => `${itemTitle(item)}\n${item.alert.detail}`);
  const rest = hidden > 0 ? [hiddenText(hidden)] : [];
  const link = message.url === undefined ? [] : [message.url];
  return [...paragraphs, ...rest, ...link, new Date(message.atMs).toISOString()].join('\n\n');
}
