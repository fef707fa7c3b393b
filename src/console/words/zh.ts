/** The console's words in Simplified Chinese. */

import type { Words } from './en.ts';
import { failures as failuresWords } from './zh/failures.ts';
import { models as modelsWords } from './zh/models.ts';
import { operations as operationsWords } from './zh/operations.ts';
import { overview as overviewWords } from './zh/overview.ts';
import { playground as playgroundWords } from './zh/playground.ts';
import { providers as providersWords } from './zh/providers.ts';
import { requests as requestsWords } from './zh/requests.ts';
import { session as sessionWords } from './zh/session.ts';
import { settings as settingsWords } from './zh/settings.ts';
import { tasks as tasksWords } from './zh/tasks.ts';
import { tokens as tokensWords } from './zh/tokens.ts';
import { usage as usageWords } from './zh/usage.ts';

export const zh: Words = {
  pages: {
    overview: '概览',
    playground: '试用',
    requests: '请求',
    tokens: '令牌',
    providers: '提供商',
    models: '模型',
    tasks: '任务',
    settings: '设置',
    gallery: '组件',
    reference: 'API 参考',
    signIn: '登录',
    setUp: '设置 Weir',
  },
  frame: {
    skip: '跳到正文',
    rail: '页面',
    more: '更多',
    collapse: '收起侧栏',
    expand: '展开侧栏',
    home: '首页',
    search: '搜索',
    searchEverything: '搜索页面和操作',
    theme: '主题',
    themes: { system: '跟随系统', light: '浅色', dark: '深色' },
    language: '语言',
    account: '账户与偏好',
    sandbox: '沙盒',
    sandboxHint: '这些数字来自内置沙盒，不产生费用。',
    shortcuts: '键盘快捷键',
    baseAddress: '复制接口地址',
    loading: (page) => `正在加载${page}`,
    notFound: '没有这个页面',
    notFoundHint: '地址可能有误，或页面已移动。',
    toOverview: '前往概览',
    pageBroke: '页面无法显示',
    pageBrokeHint: '打开此标签页之后 Weir 可能已更新。请重新加载，筛选条件保留在地址中。',
    reload: '重新加载',
  },
  keys: {
    anywhere: '任意位置',
    goTo: '前往',
    inTables: '在表格中',
    palette: '搜索全部',
    help: '显示此列表',
    filter: '将光标放入筛选框',
    close: '关闭已打开的内容',
    next: '下一行',
    previous: '上一行',
    open: '打开该行',
    andThen: '然后',
  },
  palette: {
    title: '搜索全部',
    placeholder: '页面、操作、令牌、提供商、模型或请求编号',
    nothing: (text) => `没有与“${text}”匹配的内容。`,
    found: (count) => `${count} 项匹配`,
    createToken: '创建令牌',
    openRequest: (id) => `打开请求 ${id}`,
    groups: {
      pages: '页面',
      actions: '操作',
      requests: '请求',
      tokens: '令牌',
      providers: '提供商',
      models: '模型',
    },
  },
  parts: {
    copy: '复制',
    copied: '已复制',
    copyByHand: '请按 Ctrl C',
    copiedNote: '已复制到剪贴板。',
    copyByHandNote: '文本已选中，请按 Ctrl C 复制。',
    copyThis: (what) => `复制${what}`,
    close: '关闭',
    dismiss: '忽略',
    notices: '通知',
    required: '必填',
    optional: '可选',
    loading: '加载中',
    requestId: '请求编号',
    code: '代码',
    again: '重试',
    unreachable: 'Weir 没有响应。请确认它正在运行，并且本机可以访问它。',
    none: '–',
    noPrice: '价格未知',
    chartTable: (chart) => `${chart}(表格)`,
    chartTime: '时间',
    gap: '无数据',
    of: (part, whole) => `${part} / ${whole}`,
    unsaved: {
      title: '不保存就离开？',
      meaning: '这里的更改尚未保存，离开后会丢失。',
      keep: '继续编辑',
      leave: '不保存，离开',
    },
  },
  session: sessionWords,
  overview: overviewWords,
  requests: requestsWords,
  failures: failuresWords,
  tasks: tasksWords,
  tokens: tokensWords,
  providers: providersWords,
  models: modelsWords,
  settings: settingsWords,
  playground: playgroundWords,
  operations: operationsWords,
  usage: usageWords,
  units: { ms: '毫秒', s: '秒', min: '分', h: '小时', d: '天' },
};
