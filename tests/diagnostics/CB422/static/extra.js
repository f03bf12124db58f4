"use strict";
fetch("https://example.org/count");
