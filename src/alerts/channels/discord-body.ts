/** Discord, execute webhook. https://docs.discord.com/developers/resources/webhook#execute-webhook (read 2026-11-17). */

import { cut, hiddenText, itemTitle, type Message, severityOf, shownItems, titleOf } from './message.ts';

const titleLengthMax = 256;
const contentLengthMax = 2_000;
const embedsMax = 10;
/** All texts of all embeds together may have 6,000 characters. */
const detailLengthMax = 300;

const colors = { info: 0x3b82f6, warning: 0xf59e0b, critical: 0xdc2626, resolved: 0x16a34a } as const;

export function discordBody(message: Message): string {
  const { shown, hidden } = shownItems(message);
  const embedded = shown.slice(0, embedsMax);
  const rest = hidden + shown.length - embedded.length;
  return JSON.stringify({
    content: cut([titleOf(message), ...(rest > 0 ? [hiddenText(rest)] : [])].join('\n'), contentLengthMax),
    embeds: embedded.map((item) => ({
      title: cut(itemTitle(item), embedded.length === 1 ? titleLengthMax : titleLengthMax - 1),
      description: cut(item.alert.detail, detailLengthMax),
      color: colors[severityOf({ ...message, items: [item] })],
      timestamp: new Date(item.alert.resolvedAtMs ?? item.alert.raisedAtMs).toISOString(),
      ...(message.url !== undefined && { url: message.url }),
    })),
    // A name of a token or team must not call people.
    allowed_mentions: { parse: [] },
  });
}
