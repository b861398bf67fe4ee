import { libraryResolvers, work } from './library-resolvers';
import { MONOLITH_SDL, SUBGRAPH_SDL } from './library-sdl';
import type { World } from './world';

/** Every federation feature that affects plans. The planner can plan all operations. */
export const LIBRARY: World = {
  subgraphs: SUBGRAPH_SDL,
  monolith: MONOLITH_SDL,
  resolvers: libraryResolvers,
  interfaceObject: { name: 'Work', find: work },
  depth: 4,
  mayBeRefused: false,
};
