/** Slack, incoming webhooks and Block Kit. https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks (read 2026-11-17). */

import { cut, hiddenText, itemTitle, type Message, shownItems, titleOf } from './message.ts';

const headerLengthMax = 150;
const sectionLengthMax = 3_000;

/** These three begin mentions, links and entities. */
const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

export function slackBody(message: Message): string {
  const { shown, hidden } = shownItems(message);
  const title = titleOf(message);
  const section = (text: string) => ({ type: 'section', text: { type: 'mrkdwn', text: cut(text, sectionLengthMax) } });
  const link = message.url === undefined ? [] : [`<${escaped(message.url)}|Open the console>`];
  const time = `${new Date(message.atMs).toISOString()}`;
  return JSON.stringify({
    // Shown in notifications, where blocks are not.
    text: escaped(title),
    blocks: [
      { type: 'header', text: { type: 'plain_text', text: cut(title, headerLengthMax), emoji: false } },
      ...shown.map((item) => section(`*${escaped(itemTitle(item))}*\n${escaped(item.alert.detail)}`)),
      ...(hidden > 0 ? [section(hiddenText(hidden))] : []),
      { type: 'context', elements: [{ type: 'mrkdwn', text: [time, ...link].join(' · ') }] },
    ],
  });
}
