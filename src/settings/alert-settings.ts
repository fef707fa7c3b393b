/** Settings of alerts and of the mail server that they are sent through. */

import { clock, days, optional, row } from './setting-row.ts';
import { choice, integer, text } from './values.ts';

export const alertRows = {
  'alerts.poll_ms': clock(30_000, 'How often alerts are evaluated and delivered.', { min: 100 }),
  'alerts.retry_ms': clock(30_000, 'Wait before the first retry of a delivery. Later waits grow to 480 times this.'),
  'alerts.retention_days': days(90, 'How long alerts are kept in the history.'),
  'mail.host': optional(text(1, 'the name of an SMTP server'), {
    live: true,
    example: 'smtp.example.com',
    meaning: 'SMTP server for alerts by mail. Without one, no mail is sent.',
  }),
  'mail.port': row(integer(1, 65_535), 587, { live: true, meaning: 'Port of the SMTP server.' }),
  'mail.tls': row(choice(['starttls', 'tls', 'none']), 'starttls', {
    live: true,
    meaning: 'Encryption: `starttls` (required, port 587), `tls` from the first byte (port 465), or `none`.',
  }),
  'mail.user': optional(text(1, 'the name of an account'), {
    live: true,
    example: 'weir@example.com',
    meaning: 'User name at the SMTP server. Default: no authentication.',
  }),
  'mail.password': optional(text(1, 'a password'), {
    secret: true,
    sentTo: ['mail.host', 'mail.port', 'mail.tls', 'mail.user'],
    variableOnly: true,
    meaning: 'Password at the SMTP server.',
  }),
  'mail.from': optional(text(3, 'a mail address'), {
    live: true,
    example: 'weir@example.com',
    meaning: 'Sender of mails.',
  }),
} as const;
