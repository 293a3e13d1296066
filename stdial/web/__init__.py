"""All Streamlit and browser code that pages share."""
