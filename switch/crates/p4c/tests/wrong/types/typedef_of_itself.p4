typedef word word;
