// The layers of docs/architecture.md as rules. `npm run check` fails on a forbidden import.
const pureKernel = ['errors', 'async', 'money', 'chains', 'tokens'];
const kernel = ['config', 'persistence', 'rpc', 'http', 'auth', 'jobs', 'webhooks', 'telemetry'];
/** Each may import those before it, never those after it. */
const domainInOrder = [
  'pools',
  'prices',
  'ramps',
  'kyc',
  'venues',
  'quotes',
  'smart-accounts',
  'transactions',
  'actions',
  'ledger',
  'snapshots',
  'strategies',
  'portfolio',
  'customers',
];

/** Each folder of src/actions with what it may not import; files at its top import all of them. */
const actionFolders = [
  ['history', 'state/|amounts/|tracker/|delivery/|[^/]+\\.ts$'],
  ['state', 'amounts/|tracker/|delivery/|[^/]+\\.ts$'],
  ['amounts', 'tracker/|delivery/|[^/]+\\.ts$'],
  ['tracker', 'delivery/|[^/]+\\.ts$'],
  ['delivery', 'tracker/|[^/]+\\.ts$'],
];

/** Folders of the gateway, and of its federation: each may import those before it, never those after it. */
const gatewayInOrder = ['federation', 'edge', 'rest', 'http'];
const federationInOrder = ['document', 'cost', 'subgraph', 'planner', 'plan', 'projection', 'plan-check'];

const folders = (names) => `^src/(${names.join('|')})/`;
const forbid = (name, [from, to], comment) => ({ name, severity: 'error', comment, from, to });
/** One rule for each folder below `parent`. */
const inOrder = (parent, names) =>
  names
    .slice(0, -1)
    .map((folder, position) =>
      forbid(
        `${parent.replaceAll('/', '-')}-order-${folder}`,
        [{ path: `^${parent}/${folder}/` }, { path: `^${parent}/(${names.slice(position + 1).join('|')})/` }],
        `Folders of ${parent} import only those before them: ${names.join(' → ')}.`,
      ),
    );
const graphqlOrServer =
  '^node_modules/(graphql|type-graphql|graphql-scalars|@apollo/[^/]+|fastify|@fastify/[^/]+|sofa-api|@graphql-[^/]+/[^/]+)/';

module.exports = {
  forbidden: [
    forbid(
      'no-cycles',
      [{}, { circular: true }],
      'Two files that need each other belong in one, or the part they share in a third.',
    ),
    forbid(
      'pure-kernel',
      [{ path: folders(pureKernel) }, { path: '^(src|subgraphs|gateway|devnet)/', pathNot: folders(pureKernel) }],
      'errors, async, money, chains and tokens import each other and pure libraries only.',
    ),
    forbid(
      'kernel-imports-no-domain',
      [
        { path: folders(kernel) },
        { path: '^(src|subgraphs|gateway|devnet)/', pathNot: folders([...pureKernel, ...kernel]) },
      ],
      'The kernel is under the domain.',
    ),
    ...domainInOrder.map((folder, position) =>
      forbid(
        `domain-order-${folder}`,
        [{ path: `^src/${folder}/` }, { path: `^src/(${[...domainInOrder.slice(position + 1), 'admin'].join('|')})/` }],
        `Domain folders import only those before them: ${domainInOrder.join(' → ')}.`,
      ),
    ),
    forbid(
      'quote-requests-stand-below-quotes',
      [{ path: '^src/quotes/request/' }, { path: '^src/quotes/[^/]+\\.ts$' }],
      'Parsing and resolving a request comes before choosing and storing a quote.',
    ),
    forbid(
      'src-imports-no-graphql-and-no-server',
      [{ path: '^src/', pathNot: '^src/main(\\.ts|/)' }, { path: `${graphqlOrServer}|^(subgraphs|gateway|devnet)/` }],
      'The domain is reached through subgraphs and gateway, never the other way round.',
    ),
    forbid(
      'adapters-are-independent',
      [
        { path: '^src/([^/]+)/(providers|protocols)/([^/]+)/', pathNot: '\\.test\\.ts$' },
        { path: '^src/$1/(providers|protocols)/[^/]+/', pathNot: '^src/$1/$2/$3/' },
      ],
      'An adapter imports its port and the kernel, never another adapter.',
    ),
    ...actionFolders.map(([folder, above]) =>
      forbid(
        `actions-order-${folder}`,
        [{ path: `^src/actions/${folder}/`, pathNot: '\\.test\\.ts$' }, { path: `^src/actions/(${above})` }],
        'state → amounts → tracker, delivery → start, list, view and report. Trackers and deliveries do not import each other.',
      ),
    ),
    forbid(
      'subgraphs-are-independent',
      [
        { path: '^subgraphs/([^/]+)/', pathNot: '^subgraphs/schema/' },
        { path: '^subgraphs/', pathNot: '^subgraphs/($1|schema)/' },
      ],
      'Subgraphs meet in the composed graph, not in code. What they all are built with is in subgraphs/schema.',
    ),
    forbid(
      'subgraphs-are-thin',
      [
        { path: '^subgraphs/', pathNot: '\\.test\\.ts$' },
        { path: '^(gateway|devnet)/|^src/persistence/client/|^node_modules/(viem|@prisma|\\.prisma)/' },
      ],
      'Resolvers translate and delegate: no database, no chain, no gateway.',
    ),
    forbid(
      'gateway-imports-no-domain',
      [{ path: '^gateway/', pathNot: '\\.test\\.ts$' }, { path: `${folders(domainInOrder)}|^(subgraphs|devnet)/` }],
      'The gateway uses the composed graph only.',
    ),
    ...inOrder('gateway', gatewayInOrder),
    ...inOrder('gateway/federation', federationInOrder),
    forbid(
      'devnet-stands-alone',
      [
        { path: '^devnet/', pathNot: '\\.test\\.ts$' },
        { path: '^(src|subgraphs|gateway)/', pathNot: '^src/(chains|money|errors|async)/' },
      ],
      'The embedded universe speaks the wire formats of third parties; it shares no code with the service.',
    ),
    forbid(
      'universe-is-a-development-dependency',
      [
        { path: '^(src|subgraphs|gateway)/', pathNot: '\\.test\\.ts$' },
        { dependencyTypes: ['npm-dev'], dependencyTypesNot: ['type-only'] },
      ],
      'A production install lacks development dependencies.',
    ),
    forbid(
      'tests-stay-tests',
      [{ path: '^(src|subgraphs|gateway|devnet)/', pathNot: '\\.test\\.ts$' }, { path: '\\.test\\.ts$|^test/' }],
      'Code that ships does not import tests.',
    ),
    forbid('resolvable', [{}, { couldNotResolve: true, pathNot: 'client/' }], 'Every import resolves.'),
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^(dist|coverage)/|^src/persistence/client/|/generated/|^test/openapi/client/' },
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
    enhancedResolveOptions: { conditionNames: ['require', 'node', 'default'], exportsFields: ['exports'] },
  },
};
