/** English words for settings, people and the audit log. */

export const settings = {};
