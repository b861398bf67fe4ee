// Plans one document at a time for the gateway, in a separate process: the planner is native code, and some documents
// abort or hang the whole process. Messages in: {supergraph}, {document}; out: {ready}, {plan} as JSON text, {error}.
const { QueryPlanner } = require('@graphql-hive/router-query-planner');

let planner;

process.on('message', ({ supergraph, document }) => {
  if (supergraph !== undefined) {
    planner = new QueryPlanner(supergraph);
    process.send({ ready: true });
    return;
  }
  // Asynchronous, so that this thread still detects the end of the gateway.
  planner.planAsync(document, undefined, new Set(), 0).then(
    (plan) => process.send({ plan: JSON.stringify(plan) }),
    (error) => process.send({ error: String(error) }),
  );
});

// An ordinary exit would wait for the thread that plans.
process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'));

// Signals to the process group are for the gateway, which may still be finishing requests.
process.on('SIGINT', () => undefined);
process.on('SIGTERM', () => undefined);
