/** Where conversations are kept: this browser's own database and nowhere else. A browser that keeps nothing forgets them with the tab. */

import type { Conversation, ConversationHead } from './conversation.ts';

export interface ConversationKeep {
  /** The latest first. */
  heads(): Promise<readonly ConversationHead[]>;
  read(id: string): Promise<Conversation | undefined>;
  write(conversation: Conversation): Promise<void>;
  remove(id: string): Promise<void>;
}

const databaseName = 'weir-playground';
const conversations = 'conversations';
const heads = 'heads';

export function createConversationKeep(factory: IDBFactory): ConversationKeep {
  let opening: Promise<IDBDatabase> | undefined;
  const database = () => {
    opening ??= open(factory);
    return opening;
  };
  const run = async <Value>(
    mode: IDBTransactionMode,
    work: (stores: { heads: IDBObjectStore; bodies: IDBObjectStore }) => IDBRequest<Value>,
  ): Promise<Value> => {
    const transaction = (await database()).transaction([conversations, heads], mode);
    const request = work({ heads: transaction.objectStore(heads), bodies: transaction.objectStore(conversations) });
    return new Promise((resolve, reject) => {
      transaction.oncomplete = () => resolve(request.result);
      transaction.onerror = () => reject(transaction.error);
      transaction.onabort = () => reject(transaction.error);
    });
  };
  return {
    async heads() {
      const all = await run<ConversationHead[]>('readonly', ({ heads: store }) => store.getAll());
      return all.toSorted((a, b) => b.changedAtMs - a.changedAtMs);
    },
    read: (id) => run<Conversation | undefined>('readonly', ({ bodies }) => bodies.get(id)),
    async write(conversation) {
      const { id, title, changedAtMs } = conversation;
      await run('readwrite', (stores) => {
        stores.heads.put({ id, title, changedAtMs } satisfies ConversationHead);
        return stores.bodies.put(conversation);
      });
    },
    async remove(id) {
      await run('readwrite', (stores) => {
        stores.heads.delete(id);
        return stores.bodies.delete(id);
      });
    },
  };
}

function open(factory: IDBFactory): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    const request = factory.open(databaseName, 1);
    request.onupgradeneeded = () => {
      request.result.createObjectStore(conversations, { keyPath: 'id' });
      request.result.createObjectStore(heads, { keyPath: 'id' });
    };
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}
