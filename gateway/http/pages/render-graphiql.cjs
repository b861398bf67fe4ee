// Renders GraphiQL in a thread of its own: loading the library, nine megabytes of text, would block the event loop.
const { TextEncoder } = require('node:util');
const { parentPort, workerData } = require('node:worker_threads');
const { renderGraphiQL } = require('@graphql-yoga/render-graphiql');

const page = new TextEncoder().encode(renderGraphiQL(workerData));
parentPort.postMessage(page, [page.buffer]);
