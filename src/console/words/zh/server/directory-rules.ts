/** What JSON Web Tokens and directories are refused with, in Chinese. */

type Rule = readonly [pattern: RegExp, translation: string];

export const directoryRules: readonly Rule[] = [
  [
    /^comes from the rules of the JWT issuer; change them in weir\.yaml$/,
    '由 JWT 签发方的规则决定；请在 weir.yaml 中更改',
  ],
  [/^give either jti or subject$/, '请提供 jti 或 subject 之一'],
  [
    /^This token belongs to the subject of a JWT and has no secret\. Nothing can be rotated\.$/,
    '此令牌属于某个 JWT 的主体，没有密钥，无法轮换。',
  ],
  [/^The JWT has (\S+) characters\. At most (\S+) are allowed\.$/, 'JWT 有 $1 个字符，最多允许 $2 个。'],
  [/^The JWT is malformed\. Check that it is complete\.$/, 'JWT 格式错误。请检查它是否完整。'],
  [/^The JWT is malformed, or a claim of it has the wrong type\.$/, 'JWT 格式错误，或其中某个声明的类型不对。'],
  [/^The JWT has no issuer \(iss\)\.$/, 'JWT 没有签发方（iss）。'],
  [
    /^The issuer of the JWT, (\S+), is not configured\. Add it under jwt\.issuers\.$/,
    'JWT 的签发方 $1 未配置。请在 jwt.issuers 中添加。',
  ],
  [
    /^The JWT has a type \(typ\) that is not meant for requests\..*$/,
    'JWT 的类型（typ）不适用于请求。请发送访问令牌。',
  ],
  [/^The JWT is for another audience\. Its aud must have (.+)\.$/, 'JWT 的受众不符。其 aud 必须包含 $1。'],
  [/^The JWT has no expiry \(exp\)\.$/, 'JWT 没有过期时间（exp）。'],
  [/^The JWT is not valid yet \(nbf\)\..*$/, 'JWT 尚未生效（nbf）。请检查两台机器的时钟。'],
  [/^The JWT is signed with an algorithm that is not allowed\. Allowed: (.+)\.$/, 'JWT 的签名算法不允许。允许：$1。'],
  [
    /^The JWT is signed with a key that the issuer (\S+) does not publish \(kid\)\.$/,
    'JWT 使用了签发方 $1 未公布的密钥签名（kid）。',
  ],
  [/^The signature of the JWT is wrong\.$/, 'JWT 的签名错误。'],
  [
    /^The JWT could not be verified: the keys of the issuer (\S+) could not be read\. Retry later\.$/,
    '无法验证 JWT：读取不到签发方 $1 的密钥。请稍后重试。',
  ],
  [/^The JWT was issued in the future \(iat\)\..*$/, 'JWT 的签发时间在未来（iat）。请检查两台机器的时钟。'],
  [
    /^The JWT is valid for too long\. At most (\S+) seconds are allowed \(max_lifetime_s\)\.$/,
    'JWT 的有效期过长，最多允许 $1 秒（max_lifetime_s）。',
  ],
  [/^The JWT is bound to a key \(cnf\).*$/, 'JWT 绑定了密钥（cnf），而 Weir 不检查它。请发送普通的持有者令牌。'],
  [/^The JWT has no usable claim (\S+), which says who calls\.$/, 'JWT 没有可用的声明 $1，无法得知调用者。'],
  [/^The JWT has no usable claim (\S+), which its rule reads\.$/, 'JWT 没有规则要读取的声明 $1。'],
  [/^No rule of its issuer admits the JWT\..*$/, '其签发方的规则中没有一条允许此 JWT。请让管理员添加。'],
  [/^The team "(.+)" of the JWT does not exist\. Create it first\.$/, 'JWT 的团队“$1”不存在。请先创建。'],
  [/^The project "(.+)" of the JWT does not exist\. Create it first\.$/, 'JWT 的项目“$1”不存在。请先创建。'],
  [/^The (\S+) "(.+)" of the JWT does not exist\. Create it first\.$/, 'JWT 的 $1“$2”不存在。请先创建。'],
  [
    /^The issuer (\S+) has as many subjects as it may have \(subjects_max\)\.$/,
    '签发方 $1 的主体数已达上限（subjects_max）。',
  ],
];
