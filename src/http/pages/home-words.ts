/** The home page's texts in each of its languages; they may contain a little HTML markup. */

const en = {
  language: 'en',
  title: 'One API for every model',
  lead: 'Weir is a self-hosted model gateway. Keep your SDK, point it here, use a Weir token, and call every model this server provides.',
  pages: 'Pages',
  playground: 'Playground',
  reference: 'API reference',
  more: 'More',
  console: 'Console',
  address: 'API base URL',
  copy: 'Copy',
  copied: 'Copied',
  copyByHand: 'Press Ctrl C',
  copiedNote: 'Copied to the clipboard.',
  copyByHandNote: 'Text selected. Press Ctrl C to copy it.',
  copyAddress: 'Copy base URL',
  copySnippet: 'Copy snippet',
  openPlayground: 'Open the playground',
  openConsole: 'Open the console',
  firstCall: 'Quick start',
  firstCallNote:
    'Set <code>WEIR_TOKEN</code> to your token. No token yet? Create one <a href="/console/tokens?new=1">in the console</a>, ask the operator of this server, or run <code>npx weir token create --name laptop</code> on it. Replace <code>%model%</code> with any model from <code>GET /v1/models</code>.',
  terminal: 'Terminal',
  moreClients: 'More clients',
  code: 'SDKs',
  agents: 'Agents and apps',
  addresses: 'Base URL by SDK',
  addressesNote: 'SDKs append different paths, so each needs its own base URL.',
  library: 'SDK',
  setting: 'Setting',
  itsAddress: 'Base URL',
  noOthers: 'This page contacts no other server.',
  health: 'Health',
  theme: 'Switch theme',
};

export type HomeWords = Readonly<typeof en>;

const zh: HomeWords = {
  language: 'zh-CN',
  title: '一个 API，调用所有模型',
  lead: 'Weir 是自托管的模型网关。保留你的 SDK，将其指向这里，使用 Weir 令牌，即可调用此服务器提供的所有模型。',
  pages: '页面',
  playground: '操练场',
  reference: 'API 参考',
  more: '更多',
  console: '控制台',
  address: 'API 基础 URL',
  copy: '复制',
  copied: '已复制',
  copyByHand: '请按 Ctrl C',
  copiedNote: '已复制到剪贴板。',
  copyByHandNote: '文本已选中，请按 Ctrl C 复制。',
  copyAddress: '复制基础 URL',
  copySnippet: '复制此片段',
  openPlayground: '打开操练场',
  openConsole: '打开控制台',
  firstCall: '快速开始',
  firstCallNote:
    '将 <code>WEIR_TOKEN</code> 设为你的令牌。还没有令牌？可<a href="/console/tokens?new=1">在控制台中创建</a>，向此服务器的管理者索取，或在服务器上运行 <code>npx weir token create --name laptop</code>。可将 <code>%model%</code> 替换为 <code>GET /v1/models</code> 中的任意模型。',
  terminal: '终端',
  moreClients: '更多客户端',
  code: 'SDK',
  agents: '智能体与应用',
  addresses: '各 SDK 的基础 URL',
  addressesNote: '各 SDK 追加的路径不同，因此需要不同的基础 URL。',
  library: 'SDK',
  setting: '设置项',
  itsAddress: '基础 URL',
  noOthers: '此页面不会联系任何其他服务器。',
  health: '健康状态',
  theme: '切换主题',
};

/** By the browser's preferred languages. */
export function homeWords(acceptLanguage: string | null): HomeWords {
  const wanted = (acceptLanguage ?? '')
    .split(',')
    .map((entry) => {
      const [tag = '', quality = ''] = entry
        .trim()
        .toLowerCase()
        .split(/\s*;\s*q=/);
      return { tag: tag.split('-', 1)[0], quality: quality === '' ? 1 : Number(quality) };
    })
    .filter(({ quality }) => quality > 0)
    .sort((a, b) => b.quality - a.quality)
    .map(({ tag }) => tag);
  const first = wanted.find((tag) => tag === 'zh' || tag === 'en');
  return first === 'zh' ? zh : en;
}
