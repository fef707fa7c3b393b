/**
 * Microsoft Teams, workflow “When a Teams webhook request is received”: a message with an Adaptive Card.
 * https://learn.microsoft.com/microsoftteams/platform/webhooks-and-connectors/how-to/connectors-using (read 2026-11-17).
 */

import { cut, hiddenText, itemTitle, type Message, severityOf, shownItems, titleOf } from './message.ts';

/** A message may have 28 KB. */
const titleLengthMax = 200;
const detailLengthMax = 600;

const colors = { info: 'Accent', warning: 'Warning', critical: 'Attention', resolved: 'Good' } as const;

export function teamsBody(message: Message): string {
  const { shown, hidden } = shownItems(message);
  const text = (given: string, more: object = {}) => ({ type: 'TextBlock', text: plain(given), wrap: true, ...more });
  const content = {
    $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
    type: 'AdaptiveCard',
    version: '1.4',
    body: [
      text(cut(titleOf(message), titleLengthMax), {
        size: 'Medium',
        weight: 'Bolder',
        color: colors[severityOf(message)],
      }),
      ...shown.flatMap((item) => [
        text(cut(itemTitle(item), titleLengthMax), { weight: 'Bolder', spacing: 'Medium' }),
        text(cut(item.alert.detail, detailLengthMax)),
      ]),
      ...(hidden > 0 ? [text(hiddenText(hidden), { isSubtle: true })] : []),
      text(new Date(message.atMs).toISOString(), { isSubtle: true, size: 'Small' }),
    ],
    ...(message.url !== undefined && {
      actions: [{ type: 'Action.OpenUrl', title: 'Open the console', url: message.url }],
    }),
  };
  return JSON.stringify({
    type: 'message',
    attachments: [{ contentType: 'application/vnd.microsoft.card.adaptive', contentUrl: null, content }],
  });
}

/** Text blocks have a subset of Markdown: a name must not become a link or a list. */
function plain(text: string): string {
  return text.replaceAll(/([\\*_[\]`])/g, '\\$1');
}
