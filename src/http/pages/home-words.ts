/** The home page's texts in each of its languages; they may contain a little HTML markup. */

const en = {
  language: 'en',
  title: 'One address for every model',
  lead: 'Weir is a self-hosted model gateway. Keep your client library, point it here, use a token from Weir, and reach every model this server is set up for.',
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
  copyByHandNote: 'The text is selected. Press Ctrl C to copy it.',
  copyAddress: 'Copy the base URL',
  copySnippet: 'Copy this snippet',
  openPlayground: 'Open the playground',
  openConsole: 'Open the console',
  firstCall: 'Ready to paste',
  firstCallNote:
    'Put your token into <code>WEIR_TOKEN</code>. No token yet? Create one <a href="/console/tokens?new=1">in the console</a>, ask the operator of this server, or run <code>npx weir token create --name laptop</code> on it. Use any model of <code>GET /v1/models</code> instead of <code>%model%</code>.',
  terminal: 'Terminal',
  moreClients: 'More clients',
  code: 'Libraries',
  agents: 'Agents and apps',
  addresses: 'Where a library asks for an address',
  addressesNote: 'Libraries add different paths to what they are given, so they are given different addresses.',
  library: 'Library or format',
  setting: 'Setting',
  itsAddress: 'Address',
  noOthers: 'This page contacts no other server.',
  health: 'Health',
  theme: 'Light or dark',
};

export type HomeWords = Readonly<typeof en>;

const zh: HomeWords = {
  language: 'zh-CN',
  title: '一个地址，通往所有模型',
  lead: 'Weir 是自托管的模型网关。保留您的客户端库，把地址指向这里，使用 Weir 签发的令牌，即可调用此服务器配置的所有模型。',
  pages: '页面',
  playground: '试用',
  reference: 'API 参考',
  more: '更多',
  console: '控制台',
  address: 'API 基础地址',
  copy: '复制',
  copied: '已复制',
  copyByHand: '请按 Ctrl C',
  copiedNote: '已复制到剪贴板。',
  copyByHandNote: '文本已选中，请按 Ctrl C 复制。',
  copyAddress: '复制基础地址',
  copySnippet: '复制此片段',
  openPlayground: '打开试用页面',
  openConsole: '打开控制台',
  firstCall: '粘贴即用',
  firstCallNote:
    '将令牌放入 <code>WEIR_TOKEN</code>。还没有令牌？可<a href="/console/tokens?new=1">在控制台中创建</a>，向此服务器的管理者索取，或在服务器上运行 <code>npx weir token create --name laptop</code>。<code>%model%</code> 可换成 <code>GET /v1/models</code> 中的任何模型。',
  terminal: '终端',
  moreClients: '更多客户端',
  code: '程序库',
  agents: '智能体与应用',
  addresses: '各客户端库应填写的地址',
  addressesNote: '不同的库会在给定地址后追加不同的路径，因此填写的地址也不同。',
  library: '库或格式',
  setting: '设置项',
  itsAddress: '地址',
  noOthers: '此页面不会联系任何其他服务器。',
  health: '健康状态',
  theme: '浅色或深色',
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
