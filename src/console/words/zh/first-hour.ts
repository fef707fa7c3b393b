/** Chinese words for the checklist of the first hour. */

import type { Words } from '../en.ts';

export const firstHour: Words['firstHour'] = {
  title: '开始使用',
  lead: '四步即可通过 Weir 获得第一个回复。',
  dismiss: '关闭',
  dismissThis: '关闭此清单',
  done: '已完成',
  open: '待办',
  baseUrl: {
    title: '使用此基础地址',
    lead: '将您的客户端库指向这里。不同的 SDK 会追加不同的路径，因此各自需要不同的基础地址。',
    copyOf: (clients) => `${clients} 的基础地址`,
  },
  provider: {
    title: '添加提供商',
    lead: '连接模型厂商、云平台或您自己的服务器。在此之前由内置沙盒免费应答。',
    ready: (names) => `已连接：${names}`,
    forAdmins: '提供商由管理员添加。在此之前由内置沙盒免费应答。',
    add: '添加提供商',
  },
  token: {
    title: '创建令牌',
    lead: '您的客户端用它代替提供商密钥。创建后会给出可直接粘贴的代码片段。',
    ready: '您已有令牌。请将它放入 WEIR_TOKEN：',
    forViewers: '您的角色不能创建令牌，请向管理员索取。',
    create: '创建令牌',
    snippet: (model) => `向 ${model} 发送第一个请求`,
  },
  request: {
    title: '发送第一个请求',
    waiting: '正在等待第一个请求，到达后会自动显示在这里。',
    arrived: '您的第一个请求已到达。',
    view: '查看请求',
    playground: '在试用页面中尝试',
  },
  complete: '设置已完成。您的第一个请求已到达。',
};
