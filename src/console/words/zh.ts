/** The console's words in Simplified Chinese. */

import type { Words } from './en.ts';
import { answers as answersWords } from './zh/answers.ts';
import { connection as connectionWords } from './zh/connection.ts';
import { device as deviceWords } from './zh/device.ts';
import { failures as failuresWords } from './zh/failures.ts';
import { firstHour as firstHourWords } from './zh/first-hour.ts';
import { health as healthWords } from './zh/health.ts';
import { models as modelsWords } from './zh/models.ts';
import { operations as operationsWords } from './zh/operations.ts';
import { overview as overviewWords } from './zh/overview.ts';
import { adminKeys as adminKeysWords } from './zh/people/admin-keys.ts';
import { alerts as alertsWords } from './zh/people/alerts.ts';
import { endUsers as endUsersWords } from './zh/people/end-users.ts';
import { factors as factorsWords } from './zh/people/factors.ts';
import { signIn as signInWords } from './zh/people/sign-in.ts';
import { teams as teamsWords } from './zh/people/teams.ts';
import { playground as playgroundWords } from './zh/playground.ts';
import { providers as providersWords } from './zh/providers.ts';
import { reference as referenceWords } from './zh/reference.ts';
import { requests as requestsWords } from './zh/requests.ts';
import { server as serverWords } from './zh/server.ts';
import { session as sessionWords } from './zh/session.ts';
import { settings as settingsWords } from './zh/settings.ts';
import { tasks as tasksWords } from './zh/tasks.ts';
import { tokenList as tokenListWords } from './zh/token-list.ts';
import { tokens as tokensWords } from './zh/tokens.ts';
import { usage as usageWords } from './zh/usage.ts';

export const zh: Words = {
  pages: {
    overview: '概览',
    playground: '操练场',
    requests: '请求',
    tokens: '令牌',
    teams: '团队',
    endUsers: '终端用户',
    providers: '提供商',
    models: '模型',
    tasks: '任务',
    alerts: '告警',
    settings: '设置',
    gallery: '组件',
    reference: 'API 参考',
    device: '登录程序',
    signIn: '登录',
    setUp: '设置 Weir',
    welcome: '还差一步',
    invitation: '邀请',
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
    sandboxHint: '这些数字来自免费的内置沙盒。',
    shortcuts: '键盘快捷键',
    baseAddress: '复制基础 URL',
    loading: (page) => `正在加载${page}`,
    notFound: '未找到页面',
    notFoundHint: '请检查 URL，或前往概览。',
    toOverview: '前往概览',
    pageBroke: '页面无法显示',
    pageBrokeHint: '打开此标签页之后 Weir 可能已更新。请重新加载；筛选条件保留在 URL 中。',
    reload: '重新加载',
  },
  keys: {
    anywhere: '任意位置',
    goTo: '前往',
    inTables: '在表格中',
    palette: '搜索全部',
    help: '显示键盘快捷键',
    filter: '聚焦筛选框',
    close: '关闭打开的面板',
    next: '下一行',
    previous: '上一行',
    open: '打开该行',
    select: '选择该行（令牌）',
    newToken: '创建令牌（在“令牌”页）',
    andThen: '然后',
  },
  palette: {
    title: '搜索全部',
    placeholder: '页面、操作、令牌、提供商、模型或请求 ID',
    nothing: (text) => `没有“${text}”的搜索结果。`,
    found: (count) => `${count} 个结果`,
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
    requestId: '请求 ID',
    code: '代码',
    again: '重试',
    unreachable: 'Weir 没有响应。请确认它正在运行，并且本机可以访问它。',
    none: '–',
    noPrice: '未设置价格',
    chartTable: (chart) => `${chart}（表格）`,
    chartTime: '时间',
    gap: '无数据',
    of: (part, whole) => `${part} / ${whole}`,
    sortBy: '排序方式',
    ownOrder: '默认顺序',
    ascending: (column) => `${column}（升序）`,
    descending: (column) => `${column}（降序）`,
    selectAll: '选择所有行',
    selectRow: (name) => `选择 ${name}`,
    unsaved: {
      title: '不保存就离开？',
      meaning: '你的更改将会丢失。',
      keep: '继续编辑',
      leave: '不保存，离开',
    },
  },
  session: sessionWords,
  factors: factorsWords,
  signIn: signInWords,
  connection: connectionWords,
  firstHour: firstHourWords,
  overview: overviewWords,
  requests: requestsWords,
  device: deviceWords,
  failures: failuresWords,
  tasks: tasksWords,
  alerts: alertsWords,
  adminKeys: adminKeysWords,
  tokens: tokensWords,
  teams: teamsWords,
  endUsers: endUsersWords,
  tokenList: tokenListWords,
  providers: providersWords,
  health: healthWords,
  models: modelsWords,
  settings: settingsWords,
  playground: playgroundWords,
  operations: operationsWords,
  answers: answersWords,
  reference: referenceWords,
  server: serverWords,
  usage: usageWords,
  units: { ms: '毫秒', s: '秒', min: '分', h: '小时', d: '天' },
};
