/** The body of each channel against the shape that its service documents, within its limits and without its markup. */

import { describe, expect, test } from 'bun:test';
import { createHmac } from 'node:crypto';
import { z } from 'zod';
import type { AlertRecord, Notice } from '../../store/alerts/alert-records.ts';
import { discordBody } from './discord-body.ts';
import { feishuBody, feishuRefusal, feishuSignature } from './feishu-body.ts';
import { cut, type Message, severityOf, testMessage, titleOf } from './message.ts';
import { mailText } from './send-mail.ts';
import { slackBody } from './slack-body.ts';
import { teamsBody } from './teams-body.ts';
import { webhookBody, webhookHeaders } from './webhook-body.ts';

const atMs = Date.UTC(2026, 10, 17, 12);
const alert = (given: Partial<AlertRecord> = {}): AlertRecord => ({
  ...{ id: 'alert_1', kind: 'budget', subject: 'team:t#b', occurrence: 'x', threshold: '80', subjectName: 'team A' },
  ...{ severity: 'warning', title: 'Budget of team <!channel> & *A* at 80 %', detail: 'Much is [spent](http://x).' },
  ...{ facts: { percent: 80 }, state: 'noted', raisedAtMs: atMs, seenAtMs: atMs },
  ...given,
});
const message = (count = 1, notice: Notice = 'raised', given: Partial<AlertRecord> = {}): Message => ({
  ...{ id: 'msg_1', isDigest: count > 1, isTest: false, atMs, url: 'https://weir.example/console/alerts' },
  items: Array.from({ length: count }, (_, index) => ({ notice, alert: alert({ id: `alert_${index}`, ...given }) })),
});
const parsed = (body: string): unknown => JSON.parse(body);
const long = { title: 'T'.repeat(5_000), detail: 'D'.repeat(50_000) };

describe('Slack', () => {
  const text = (max: number) =>
    z.strictObject({ type: z.string(), text: z.string().min(1).max(max), emoji: z.boolean().optional() });
  const shape = z.strictObject({
    text: z.string().min(1),
    blocks: z
      .array(
        z.union([
          z.strictObject({ type: z.literal('header'), text: text(150) }),
          z.strictObject({ type: z.literal('section'), text: text(3_000) }),
          z.strictObject({ type: z.literal('context'), elements: z.array(text(3_000)).max(10) }),
        ]),
      )
      .max(50),
  });

  test.each([message(), message(40), message(2, 'resolved'), message(1, 'raised', long)])('has blocks %#', (given) => {
    shape.parse(parsed(slackBody(given)));
  });

  test('has no mention and escapes what would be markup', () => {
    const body = slackBody(message());
    expect(body).toContain('&lt;!channel&gt; &amp; ');
    expect((parsed(body) as { text: string }).text).not.toContain('<!channel>');
  });
});

describe('Discord', () => {
  const shape = z.strictObject({
    content: z.string().min(1).max(2_000),
    embeds: z
      .array(
        z.strictObject({
          title: z.string().max(256),
          description: z.string().max(4_096),
          color: z.int().min(0).max(0xffffff),
          timestamp: z.iso.datetime(),
          url: z.url().optional(),
        }),
      )
      .max(10),
    allowed_mentions: z.strictObject({ parse: z.array(z.string()).length(0) }),
  });

  test.each([message(), message(40), message(2, 'resolved'), message(40, 'raised', long)])('has embeds %#', (given) => {
    const { embeds } = shape.parse(parsed(discordBody(given)));
    const characters = embeds.reduce((sum, { title, description }) => sum + title.length + description.length, 0);
    expect(characters).toBeLessThanOrEqual(6_000);
  });
});

describe('Teams', () => {
  const block = z.strictObject({
    ...{ type: z.literal('TextBlock'), text: z.string().min(1), wrap: z.literal(true) },
    size: z.enum(['Small', 'Medium']).optional(),
    weight: z.literal('Bolder').optional(),
    color: z.enum(['Accent', 'Warning', 'Attention', 'Good']).optional(),
    spacing: z.literal('Medium').optional(),
    isSubtle: z.boolean().optional(),
  });
  const card = z.strictObject({
    $schema: z.literal('http://adaptivecards.io/schemas/adaptive-card.json'),
    type: z.literal('AdaptiveCard'),
    version: z.literal('1.4'),
    body: z.array(block),
    actions: z.array(z.strictObject({ type: z.literal('Action.OpenUrl'), title: z.string(), url: z.url() })).optional(),
  });
  const shape = z.strictObject({
    type: z.literal('message'),
    attachments: z
      .array(
        z.strictObject({
          contentType: z.literal('application/vnd.microsoft.card.adaptive'),
          contentUrl: z.null(),
          content: card,
        }),
      )
      .length(1),
  });

  test.each([
    message(),
    message(40, 'raised', long),
    message(2, 'resolved'),
  ])('is a message with a card %#', (given) => {
    const { attachments } = shape.parse(parsed(teamsBody(given)));
    // A message may have 28 KB.
    expect(JSON.stringify(attachments).length).toBeLessThan(28_000);
  });

  test('has no links of its own', () => {
    expect(teamsBody(message())).toContain(String.raw`\\[spent\\](http://x)`);
  });
});

describe('Feishu', () => {
  const plain = z.strictObject({ tag: z.literal('plain_text'), content: z.string().min(1) });
  const button = z.strictObject({ tag: z.literal('button'), text: plain, type: z.literal('default'), url: z.url() });
  const shape = z.strictObject({
    timestamp: z
      .string()
      .regex(/^\d{10}$/)
      .optional(),
    sign: z.base64().optional(),
    msg_type: z.literal('interactive'),
    card: z.strictObject({
      config: z.strictObject({ wide_screen_mode: z.literal(true) }),
      header: z.strictObject({ title: plain, template: z.enum(['blue', 'orange', 'red', 'green']) }),
      elements: z.array(
        z.union([
          z.strictObject({ tag: z.literal('div'), text: plain }),
          z.strictObject({ tag: z.literal('note'), elements: z.array(plain) }),
          z.strictObject({ tag: z.literal('action'), actions: z.array(button) }),
        ]),
      ),
    }),
  });

  test.each([message(), message(40, 'raised', long), message(2, 'resolved')])('is a card %#', (given) => {
    const body = feishuBody(given, undefined, atMs);
    expect(shape.parse(parsed(body)).sign).toBeUndefined();
    // A message may have 20 KB.
    expect(body.length).toBeLessThan(20_000);
  });

  test('is signed with the time and the secret as the key, over nothing', () => {
    const body = shape.parse(parsed(feishuBody(message(), 'bot-secret', atMs)));
    const expected = createHmac('sha256', `${body.timestamp}\nbot-secret`).update('').digest('base64');
    expect([body.timestamp, body.sign]).toEqual([String(atMs / 1_000), expected]);
    expect(feishuSignature('1', 'a')).not.toBe(feishuSignature('2', 'a'));
  });

  test('refuses with a status of success', () => {
    expect(feishuRefusal('{"code":0,"msg":"success"}')).toBeUndefined();
    expect(feishuRefusal('{"StatusCode":0,"StatusMessage":"success"}')).toBeUndefined();
    expect(feishuRefusal('{"code":19021,"msg":"sign match fail"}')).toBe('code 19021: sign match fail');
    expect(feishuRefusal('ok')).toBeUndefined();
  });
});

describe('webhook', () => {
  test('names the event, its time and the alert', () => {
    expect(parsed(webhookBody(message()))).toMatchObject({
      ...{ type: 'alert.raised', timestamp: '2026-11-17T12:00:00.000Z' },
      data: { id: 'alert_0', notice: 'raised', kind: 'budget', threshold: '80', facts: { percent: 80 } },
    });
    const over = parsed(webhookBody(message(1, 'resolved', { state: 'resolved', resolvedAtMs: atMs })));
    expect(over).toMatchObject({ type: 'alert.resolved', data: { resolvedAt: '2026-11-17T12:00:00.000Z' } });
    expect((parsed(webhookBody(message(3))) as { data: { alerts: unknown[] } }).data.alerts).toHaveLength(3);
    expect(parsed(webhookBody(testMessage('m', atMs, undefined)))).toMatchObject({ type: 'alert.test' });
  });

  test('is signed as the reference example of the specification', () => {
    const headers = webhookHeaders(
      'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
      'msg_p5jXN8AQM9LWM0D4loKWxJek',
      '{"test": 2432232314}',
      1_614_265_330_000,
    );
    expect(headers).toMatchObject({
      'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      'webhook-timestamp': '1614265330',
      'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    });
  });
});

test('titles say whether it is new, lasts or is over; a digest counts', () => {
  const title = { title: 'up is down' };
  expect(
    [message(1, 'raised', title), message(1, 'repeated', title), message(1, 'resolved', title), message(3)].map(
      titleOf,
    ),
  ).toEqual([
    'Weir: up is down',
    'Weir: Still: up is down',
    'Weir: Resolved: up is down',
    'Weir: 3 alerts from quiet hours',
  ]);
  expect([severityOf(message()), severityOf(message(1, 'resolved'))]).toEqual(['warning', 'resolved']);
  expect(mailText(message(25))).toContain('And 5 more. The console lists all of them.');
  expect([cut('abc', 3), cut('abcd', 3), cut('a😀b', 3)]).toEqual(['abc', 'ab…', 'a…']);
});
