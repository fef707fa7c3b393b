/** What the server says about admin keys, in Chinese. */

export const adminKeyRules: readonly (readonly [pattern: RegExp, translation: string])[] = [
  [/^must be a scope such as tokens:read(?: or usage:write)?$/, '必须是范围，例如 tokens:read 或 usage:write'],
  [/^must be a list of scopes, or null for all$/, '必须是范围列表，或 null 表示全部'],
  [/^must be admin or viewer for a key of a team$/, '团队密钥的角色必须是 admin 或 viewer'],
  [/^only an owner can create a key of an owner$/, '只有所有者可以创建所有者的密钥'],
  [
    /^choose a team whose admin you are; only an owner or admin of Weir creates other keys$/,
    '请选择你担任管理员的团队；只有 Weir 的所有者或管理员可以创建其他密钥',
  ],
  [/^there are (\d+) admin keys; revoke some of them first$/, '已有 $1 个管理密钥；请先吊销一些'],
  [/^a key gets no scopes that it did not have; create a new key$/, '密钥不能获得原先没有的范围；请创建新密钥'],
  [/^a key does not get a later end; create a new key$/, '密钥的到期时间不能推后；请创建新密钥'],
  [/^a key of a team has tokens in this team only$/, '团队密钥只能在该团队中创建令牌'],
  [/^the key was revoked$/, '密钥已吊销'],
  [/^Admin key not found\.$/, '未找到管理密钥。'],
  [
    /^The reply to a write with an Idempotency-Key could not be stored\.$/,
    '无法存储带有 Idempotency-Key 的写入的响应。',
  ],
  [
    /^The write with this Idempotency-Key was done\. Its reply was too large to be kept\.$/,
    '带有此 Idempotency-Key 的写入已完成，但其响应太大，没有保留。',
  ],
  [
    /^An Idempotency-Key has 1 to (\d+) visible ASCII characters\.$/,
    'Idempotency-Key 必须是 1 到 $1 个可见 ASCII 字符。',
  ],
  [
    /^This Idempotency-Key was used for another request\. Use a new key\.$/,
    '此 Idempotency-Key 已用于另一个请求。请使用新的键。',
  ],
  [/^A request with this Idempotency-Key is still running\.$/, '带有此 Idempotency-Key 的请求仍在运行。'],
  [
    /^The first request with this Idempotency-Key has no reply: .*$/,
    '带有此 Idempotency-Key 的第一个请求没有响应：Weir 在其运行时退出。请检查它是否已生效，然后使用新的键。',
  ],
  [
    /^This admin key used (\d+) Idempotency-Keys in a day\. Send none\.$/,
    '此管理密钥一天内已使用 $1 个 Idempotency-Key。请不要再发送。',
  ],
  [
    /^This is not an admin key of this Weir\. Check that you pasted all of it\.$/,
    '这不是此 Weir 的管理密钥。请检查是否粘贴完整。',
  ],
  [/^This admin key reached its limit of (\d+) requests per minute\.$/, '此管理密钥已达到每分钟 $1 个请求的限制。'],
  [/^This admin key does not have the scope (.+)\.$/, '此管理密钥没有范围 $1。'],
  [/^This admin key was revoked\.$/, '此管理密钥已吊销。'],
  [/^This admin key expired at (.+)\. Create a new one\.$/, '此管理密钥已于 $1 过期。请创建新的密钥。'],
  [/^This admin key is not allowed from this IP address\.$/, '此管理密钥不允许从该 IP 地址使用。'],
  [
    /^The account that created this admin key is disabled\.(?: Create a new key\.)?$/,
    '创建此管理密钥的账户已停用。请创建新密钥。',
  ],
  [
    /^The team of this admin key was removed\.(?: Create a new key\.)?$/,
    '此管理密钥所属的团队已被删除。请创建新密钥。',
  ],
  [
    /^The account that created this admin key has no rights in its team any more\.(?: Create a new key\.)?$/,
    '创建此管理密钥的账户在其团队中已没有权限。请创建新密钥。',
  ],
  [
    /^The account that created this admin key is no longer an owner or admin\.(?: Create a new key\.)?$/,
    '创建此管理密钥的账户已不再是所有者或管理员。请创建新密钥。',
  ],
  [/^The admin key could not be checked: the database is not responding\.$/, '无法检查管理密钥：数据库没有响应。'],
  [
    /^The call has no admin key\. Send `Authorization: Bearer weir_admin_…` or `x-api-key`\.$/,
    '调用没有携带管理密钥。请发送 `Authorization: Bearer weir_admin_…` 或 `x-api-key`。',
  ],
  [/^Only an owner can change a key of an owner\.$/, '只有所有者可以更改所有者的密钥。'],
];
