// The permitted imports between folders, and the folders that may import each driver. An offence was planted for each rule, and the rule
// found it.
const npm = name => `^node_modules/${name}/`
const fence = (name, path, to) => ({ name, severity: 'error', from: { pathNot: path }, to: { path: to } })

export default {
  forbidden: [
    {
      name: 'contracts-are-a-leaf',
      severity: 'error',
      from: { path: '^shared/contracts/' },
      to: { pathNot: ['^shared/contracts/', npm('typebox')] },
    },
    {
      name: 'shared-knows-nobody',
      severity: 'error',
      from: { path: '^shared/' },
      to: { path: '^(machines|services|infra|test)/' },
    },
    {
      name: 'machines-are-pure',
      severity: 'error',
      from: { path: '^machines/' },
      to: { pathNot: ['^machines/', '^shared/contracts/', npm('xstate')] },
    },
    {
      name: 'services-are-islands',
      severity: 'error',
      from: { path: '^services/([^/]+)/' },
      to: { path: '^services/', pathNot: '^services/$1/' },
    },
    { name: 'infra-is-not-runtime', severity: 'error', from: { path: '^(services|machines|shared)/' }, to: { path: '^infra/' } },
    { name: 'nothing-needs-tests', severity: 'error', from: { pathNot: '^test/' }, to: { path: '^test/' } },
    fence('fence-nats', '^(shared/bus|infra|test)/', npm('@nats-io/[^/]+')),
    fence('fence-mongodb', '^(shared/store|test)/', npm('mongodb')),
    fence('fence-sqlite', '^(shared/store|test)/', '^(node:)?sqlite$'),
    fence('fence-fastify', '^(services/gateway|test)/', npm('fastify')),
    fence('fence-openid-client', '^(services/gateway/session/oidc/oidc-provider[.]ts$|test/)', npm('openid-client')),
    fence('fence-cookie', '^(services/gateway/session/caller/session-cookie[.]ts$|test/)', npm('cookie')),
    fence('fence-undici', '^(services/(prober|notifier)|test)/', npm('undici')),
    fence('fence-dns-packet', '^(services/prober/checks/dns/packet[.]ts$|test/prober/)', npm('dns-packet')),
    fence('fence-nodemailer', '^services/notifier/send/send-mail[.]ts$', npm('nodemailer')),
    fence('fence-koffi', '^services/prober/checks/icmp/ping-socket[.]ts$', npm('koffi')),
    fence('fence-xstate', '^(machines|services/(keeper|notifier)|infra/(machines|replay)|test)/', npm('xstate')),
    {
      name: 'start-without-mcp',
      severity: 'error',
      from: { path: '^infra/cli/start[.]ts$' },
      to: { path: npm('@modelcontextprotocol/[^/]+'), reachable: true },
    },
    fence('fence-mcp', '^(services/mcp|test)/', npm('@modelcontextprotocol/[^/]+')),
    fence('fence-preact', '^(services/dashboard|test/dashboard)/', npm('(preact|@preact/[^/]+)')),
    fence('fence-esbuild', '^services/gateway/dashboard/bundle[.]ts$', npm('esbuild')),
    fence(
      'fence-playwright',
      '^test/(dashboard/|pictures/|support/clients/find-browser|bench/parts/part-dashboard)',
      npm('(playwright-core|axe-core)'),
    ),
    {
      name: 'dashboard-runs-in-a-browser',
      severity: 'error',
      from: { path: '^services/dashboard/' },
      to: {
        pathNot: [
          '^services/dashboard/',
          '^shared/(contracts/(notifications/delivery-status|session/page-paths|subjects/subject-kind)|subjects/classic-kind|checks/(check-field|watch-fields|sections|website/(fields|website-template))|channels/steps|manifest/manifest-of|schedule/next-run|async/in-parallel|api-v3/warnings)[.]ts$',
          npm('(preact|@preact/[^/]+)'),
        ],
        dependencyTypesNot: ['type-only'],
      },
    },
    fence('fence-pino', '^(shared/observability/logger[.]ts$|test/)', npm('pino')),
    fence('fence-yaml', '^(services/gateway/configuration|test)/', npm('yaml')),
    fence('fence-croner', '^(shared/schedule|test)/', npm('croner')),
    fence('fence-ws', '^(infra/cli|test)/', npm('ws')),
    fence('fence-commander', '^(infra/(cli|gates)|test)/', npm('commander')),
    {
      name: 'no-development-dependency-at-runtime',
      severity: 'error',
      from: { path: '^(services|machines|shared|infra/(cli|runtime))/' },
      to: { dependencyTypes: ['npm-dev', 'npm-no-pkg', 'npm-unknown'] },
    },
    { name: 'no-circular', severity: 'error', from: {}, to: { circular: true } },
    { name: 'unresolved', severity: 'error', from: {}, to: { couldNotResolve: true } },
    {
      name: 'no-orphans',
      severity: 'error',
      from: { orphan: true, pathNot: '^(test|infra)/|/main[.]tsx?$|[.]d[.]ts$|^[.]dep' },
      to: {},
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default', 'types'],
      extensions: ['.ts', '.tsx', '.js', '.json', '.css'],
    },
  },
}
