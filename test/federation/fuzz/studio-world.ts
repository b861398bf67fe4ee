import { studioResolvers, media } from './studio-resolvers';
import { STUDIO_MONOLITH_SDL, STUDIO_SDL } from './studio-sdl';
import type { World } from './world';

/**
 * What planners find difficult: root fields that return an interface object, `@requires` on one, `@provides` below an
 * interface, `@requires` of one field with several arguments, and an entity whose fields lead to itself in every subgraph.
 */
export const STUDIO: World = {
  subgraphs: STUDIO_SDL,
  monolith: STUDIO_MONOLITH_SDL,
  resolvers: studioResolvers,
  interfaceObject: { name: 'Media', find: media },
  depth: 5,
  mayBeRefused: true,
};
