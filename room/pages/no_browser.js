// Where the pages are missing that `make browser` makes: how to get them.

import { loadWords } from "./words.js";

loadWords();
