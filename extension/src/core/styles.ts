import code from './styles/code.css';
import frame from './styles/frame.css';
import graph from './styles/graph.css';
import inspector from './styles/inspector.css';
import paper from './styles/paper.css';
import timeline from './styles/timeline.css';
import time from './styles/time.css';
import tokens from './styles/tokens.css';

/** The style of the widget; every widget carries its own copy, as it may live in a shadow root. */
export const STYLES = [tokens, frame, code, inspector, graph, time, timeline, paper].join('');
