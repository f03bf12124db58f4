// Puts the kept choice of colours on the root before anything is drawn.
try { const theme = localStorage.getItem('theme'); if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme } catch {}
