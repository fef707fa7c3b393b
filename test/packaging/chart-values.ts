/** Values that the chart is tested with: what it does by itself, everything that it can do, and as little as possible. */

export const everything = {
  redis: { existingSecret: 'weir-redis' },
  adminPassword: { existingSecret: 'weir-admin' },
  providerKeys: { existingSecret: 'weir-providers' },
  secretKey: { oldKey: 'OLD' },
  config: {
    providers: {
      home: { kind: 'openai-chat', base_url: 'http://10.0.0.9:8000/v1', key_env: 'HOME_KEY' },
      github: null,
    },
  },
  env: { WEIR_LOG_LEVEL: 'warn', WEIR_SERVER_WORKERS: 2 },
  publicUrl: 'https://models.example.com',
  trustedProxies: ['10.0.0.0/8', '192.168.0.0/16'],
  autoscaling: { enabled: true, maxReplicas: 20 },
  ingress: {
    enabled: true,
    className: 'nginx',
    hosts: ['models.example.com', 'ai.example.com'],
    tls: [{ secretName: 'weir-tls', hosts: ['models.example.com'] }],
  },
  networkPolicy: { enabled: true, ingressFrom: [{ namespaceSelector: { matchLabels: { name: 'ingress' } } }] },
  serviceMonitor: { enabled: true, labels: { release: 'prometheus' }, tokenSecret: { name: 'weir-metrics' } },
  serviceAccount: { annotations: { team: 'models' } },
  service: { annotations: { team: 'models' } },
  imagePullSecrets: [{ name: 'pull' }],
  podAnnotations: { team: 'models' },
  podLabels: { team: 'models' },
  priorityClassName: 'high',
  nodeSelector: { disk: 'ssd' },
  tolerations: [{ key: 'gpu', operator: 'Exists' }],
  affinity: { nodeAffinity: {} },
};
export const little = {
  podDisruptionBudget: { enabled: false },
  migrations: { enabled: false },
  serviceAccount: { create: false },
  topologySpread: { enabled: false },
  drain: { preStopSeconds: 0, delaySeconds: 0, seconds: 30 },
  image: { digest: `sha256:${'0'.repeat(64)}` },
};
export const valueSets: Readonly<Record<string, object>> = { defaults: {}, everything, little };
